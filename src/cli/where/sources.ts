import type { Keys } from '../../client/credentials.ts'
import { type Profile, type ProfileBook, profileNamed } from '../profiles/profiles.ts'
import type { ControlTargetFlags, TargetFlags } from './flags.ts'
import { readKeyFile } from './key-file.ts'
import type { Running } from './simulators.ts'

type AllFlags = TargetFlags & ControlTargetFlags
export type WhereFlags = { readonly [Name in keyof AllFlags]?: AllFlags[Name] | undefined }

/** Everything that may say which server a command calls, and with whose keys. */
export interface Sources {
  readonly flags: WhereFlags
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly profiles: () => Promise<ProfileBook>
  readonly running: Running
}

/** A place to look: it may have the address, the keys, or both. */
export interface Source {
  readonly name: string
  readonly baseUrl?: string | undefined
  readonly keys?: Keys | undefined
  /** Whether somebody named it for this call, such as with an option. */
  readonly named: boolean
}

export interface Candidates {
  /** The first one that has an address gives it. */
  readonly sources: readonly Source[]
  /** Not used, because an option overrides it, but the caller may have meant it. */
  readonly overridden: readonly Source[]
  readonly profile: Profile | undefined
  /** Whether an option names the profile: then nothing else is meant, at any address. */
  readonly isProfileNamed: boolean
}

/** Options override the environment, which overrides the profile. It does not override what an option names. */
export async function sourcesOf({ flags, environment, profiles }: Sources): Promise<Candidates> {
  const fromFlags = await inFlags(flags)
  const fromEnvironment = inEnvironment(environment)
  const book = await profiles()
  const named = flags.profile ?? (environment.PAYSIM_PROFILE || undefined)
  const name = named ?? book.current
  const profile = name === null ? undefined : profileNamed(name, book)
  const fromProfile: Source[] =
    profile === undefined
      ? []
      : [
          {
            name: `profile ${name}`,
            baseUrl: profile.base_url,
            keys: { publicKey: profile.public_key, secretKey: profile.secret_key },
            named: named !== undefined,
          },
        ]
  const isProfileNamed = flags.profile !== undefined && flags.account === undefined
  if (flags.account !== undefined)
    return {
      sources: [fromFlags],
      overridden: [fromEnvironment, ...fromProfile],
      profile: undefined,
      isProfileNamed,
    }
  return isProfileNamed
    ? { sources: [fromFlags, ...fromProfile], overridden: [fromEnvironment], profile, isProfileNamed }
    : { sources: [fromFlags, fromEnvironment, ...fromProfile], overridden: [], profile, isProfileNamed }
}

export const inFlags = async ({ baseUrl, keyFile }: Sources['flags']): Promise<Source> => ({
  name: 'flag',
  baseUrl,
  keys: keyFile === undefined ? undefined : await readKeyFile(keyFile),
  named: true,
})

export function inEnvironment(environment: Sources['environment']): Source {
  const { PAYSIM_BASE_URL, PAYSIM_PUBLIC_KEY: publicKey, PAYSIM_SECRET_KEY: secretKey } = environment
  return {
    name: 'environment',
    baseUrl: PAYSIM_BASE_URL || undefined,
    keys: publicKey && secretKey ? { publicKey, secretKey } : undefined,
    named: true,
  }
}

/** The address to call. */
export interface Place {
  readonly name: string
  readonly baseUrl: string
  readonly named: boolean
}

export const placeAmong = ({ sources }: Pick<Candidates, 'sources'>): Place | undefined => {
  const [found] = sources.flatMap(({ baseUrl, ...source }) => (baseUrl ? [{ ...source, baseUrl }] : []))
  return found
}
