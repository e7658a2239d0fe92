import { resolve } from 'node:path'
import { readBaseUrl } from '../../client/address.ts'
import { type Keys, refuseUnsafe } from '../../client/credentials.ts'
import { UsageError } from '../errors/cli-errors.ts'
import { readAuthorities } from '../where/authorities.ts'
import { refuseMixed } from '../where/keys.ts'
import { type Profile, readProfiles } from './profiles.ts'

interface NewProfile {
  readonly baseUrl: string
  readonly keys: Keys
  readonly contract?: string | undefined
  readonly caFile?: string | undefined
}

/** Makes a profile from files and answers. It refuses what every later call would refuse. */
export async function newProfile({ baseUrl, keys, ...files }: NewProfile): Promise<Profile> {
  return checkedProfile({ ...(await membersOf({ keys, ...files })), ...placeOf(baseUrl), ...pairOf(keys) })
}

/** The members of a profile that these settings give. */
export async function membersOf({
  baseUrl,
  keys,
  contract,
  caFile,
}: Partial<NewProfile>): Promise<Partial<Profile>> {
  return {
    ...(baseUrl === undefined ? {} : placeOf(baseUrl)),
    ...(keys === undefined ? {} : pairOf(keys)),
    ...(contract === undefined ? {} : { contract: await readOverrides(contract) }),
    ...(caFile === undefined ? {} : { ca_file: await checkAuthorities(caFile) }),
  }
}

const placeOf = (baseUrl: string) => ({ base_url: withScheme(baseUrl) })
const pairOf = ({ publicKey, secretKey }: Keys) => ({ public_key: publicKey, secret_key: secretKey })

/** Throws if the members do not go together. */
export function checkedProfile(profile: Profile): Profile {
  checkPair({ publicKey: profile.public_key, secretKey: profile.secret_key }, profile.base_url)
  return profile
}

/** Throws if the keys are no pair, or must not be sent to this address. */
export function checkPair(keys: Keys, baseUrl: string): void {
  refuseMixed(keys)
  refuseUnsafe(keys, readBaseUrl(withScheme(baseUrl)))
}

/** `localhost:7400` is `http://localhost:7400`. What another machine takes is not guessed. */
const withScheme = (text: string): string =>
  /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?(?:\/.*)?$/i.test(text.trim())
    ? `http://${text.trim()}`
    : text

const NAME = /^[a-z0-9][a-z0-9._-]{0,63}$/i

/** Names appear in commands and in a file, so they contain nothing that a shell treats specially. */
export function checkName(name: string): string | undefined {
  return NAME.test(name)
    ? undefined
    : 'a profile name contains only letters, digits, dots, dashes and underscores, such as shop-test'
}

/** Refuses an invalid name, and one that is taken unless its profile is to be replaced. */
export async function refuseName(name: string, { replace }: { readonly replace?: true }): Promise<void> {
  const problem = checkName(name)
  if (problem !== undefined) throw new UsageError(problem)
  if (!replace && Object.hasOwn((await readProfiles()).profiles, name)) throw nameTaken(name)
}

export const nameTaken = (name: string): UsageError =>
  new UsageError(`the profile ${name} already exists: add --replace to replace it`)

/** Throws if the text cannot be a base URL. */
export function checkBaseUrl(text: string): void {
  readBaseUrl(withScheme(text))
}

/** The contents of the file: the profile must still work when the file is gone. */
async function readOverrides(file: string): Promise<Readonly<Record<string, unknown>>> {
  const { readContract, readObjectFile } = await import('../named-file.ts')
  const overrides = await readObjectFile(file)
  await readContract(overrides)
  return overrides
}

async function checkAuthorities(file: string): Promise<string> {
  await readAuthorities(file)
  return resolve(file)
}
