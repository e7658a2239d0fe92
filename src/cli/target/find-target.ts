import type { Keys } from '../../client/credentials.ts'
import { UsageError } from '../errors/cli-errors.ts'
import { type Profile, profileNamed, readProfiles } from '../profiles/profiles.ts'
import type { TargetFlags } from './flags.ts'
import {
  accountNamed,
  dataDirectory,
  keysOf,
  type LocalSimulator,
  originOf,
  simulatorAt,
  simulatorsHere,
} from './local-simulator.ts'
import { asCandidate, othersThan, type TargetCandidate, type TargetChoice } from './other-targets.ts'
import { readKeyFile } from './read-credentials.ts'

/** Where a call goes, with which keys, and where both were found. */
export interface Target {
  readonly baseUrl: string
  readonly keys: Keys
  readonly from: { readonly baseUrl: string; readonly keys: string }
  readonly profile: Profile | undefined
  readonly choice: TargetChoice
}

/** A place to look: it may have the address, the keys, or both. */
interface Source {
  readonly name: string
  readonly baseUrl?: string | undefined
  readonly keys?: Keys | undefined
  /** Whether somebody named it for this call, such as with an option. */
  readonly named: boolean
}

/** Options override the environment, which overrides the profile and then the local simulator. `standIn` replaces missing keys. */
export async function findTarget(flags: TargetFlags, standIn?: Keys): Promise<Target> {
  const { profile, sources, overridden } = await sourcesOf(flags)
  let looked: Promise<readonly LocalSimulator[]> | undefined
  const here = () => {
    looked ??= simulatorsOf(flags)
    return looked
  }
  const place = sources.find(({ baseUrl }) => baseUrl) ?? localPlace(await here(), flags)
  if (place?.baseUrl === undefined) throw new UsageError(noTarget())
  const { baseUrl } = place
  const holder = sources.find(({ keys }) => keys) ?? (await localKeys(baseUrl, await here(), flags))
  const keys = holder?.keys ?? standIn
  if (!keys) throw new UsageError(noKeys(baseUrl))
  const others = async () =>
    othersThan(baseUrl, [...[...sources, ...overridden].flatMap(placeOf), ...(await here()).map(asCandidate)])
  return {
    baseUrl,
    keys,
    from: { baseUrl: place.name, keys: holder?.name ?? 'nowhere' },
    profile,
    choice: { chosen: { url: baseUrl, name: place.name }, others, named: place.named },
  }
}

/** The keys of a simulator are used only for that simulator, and never sent to another server. */
async function localKeys(
  baseUrl: string,
  here: readonly LocalSimulator[],
  { account }: TargetFlags,
): Promise<Source | undefined> {
  const simulator = here.find(({ url }) => originOf(url) === originOf(baseUrl))
  if (!simulator) return undefined
  return { name: localName(account), keys: await keysOf(simulator, account), named: false }
}

/** If the environment names a control surface, calls go to the merchant API of the same simulator. */
async function simulatorsOf({ account }: TargetFlags): Promise<readonly LocalSimulator[]> {
  const { PAYSIM_CONTROL_URL } = process.env
  const named = PAYSIM_CONTROL_URL === undefined ? undefined : await simulatorAt(PAYSIM_CONTROL_URL)
  const here = await simulatorsHere()
  if (!named || account !== undefined) return here
  return [named, ...here.filter(({ control_url }) => control_url !== named.control_url)]
}

function localPlace(
  [simulator, ...others]: readonly LocalSimulator[],
  { account }: TargetFlags,
): Source | undefined {
  if (!simulator) return undefined
  const { PAYSIM_CONTROL_URL = '' } = process.env
  const named =
    (account !== undefined && others.length === 0) ||
    originOf(PAYSIM_CONTROL_URL) === originOf(simulator.control_url)
  return { name: localName(account), baseUrl: simulator.url, named }
}

const localName = (account: string | undefined) => `the local simulator, ${accountNamed(account)}`
const placeOf = ({ baseUrl, name }: Source): TargetCandidate[] =>
  baseUrl === undefined ? [] : [{ url: baseUrl, name }]

interface Sources {
  readonly profile: Profile | undefined
  readonly sources: readonly Source[]
  /** Not used, because an option overrides it, but the caller may have meant it. */
  readonly overridden: readonly Source[]
}

async function sourcesOf(flags: TargetFlags): Promise<Sources> {
  const { PAYSIM_BASE_URL, PAYSIM_PUBLIC_KEY: publicKey, PAYSIM_SECRET_KEY: secretKey } = process.env
  if (!publicKey !== !secretKey)
    throw new UsageError('only one of PAYSIM_PUBLIC_KEY and PAYSIM_SECRET_KEY is set: set both')
  const named = await findProfile(flags.profile)
  const byEnvironment = named ? undefined : await findProfile(process.env.PAYSIM_PROFILE || undefined)
  const kept = named ?? byEnvironment ?? (await currentProfile())
  const fromFlags: Source = {
    name: 'flag',
    baseUrl: flags.baseUrl,
    keys: flags.keyFile === undefined ? undefined : await readKeyFile(flags.keyFile),
    named: true,
  }
  const environment: Source = {
    name: 'environment',
    baseUrl: PAYSIM_BASE_URL || undefined,
    keys: publicKey && secretKey ? { publicKey, secretKey } : undefined,
    named: true,
  }
  const fromProfile = kept ? [sourceOf(kept, kept === named || kept === byEnvironment)] : []
  // The environment does not override a profile or an account that an option names.
  if (flags.account !== undefined)
    return { profile: undefined, sources: [fromFlags], overridden: [environment, ...fromProfile] }
  if (named)
    return { profile: named.profile, sources: [fromFlags, ...fromProfile], overridden: [environment] }
  return { profile: kept?.profile, sources: [fromFlags, environment, ...fromProfile], overridden: [] }
}

interface Named {
  readonly name: string
  readonly profile: Profile
}

const sourceOf = ({ name, profile }: Named, named: boolean): Source => ({
  name: `profile ${name}`,
  baseUrl: profile.base_url,
  keys: { publicKey: profile.public_key, secretKey: profile.secret_key },
  named,
})

async function findProfile(name: string | undefined): Promise<Named | undefined> {
  if (name === undefined) return undefined
  return { name, profile: profileNamed(name, await readProfiles()) }
}

async function currentProfile(): Promise<Named | undefined> {
  const { current } = await readProfiles()
  return current === null ? undefined : findProfile(current)
}

const noTarget = () => `no API to call: no simulator serves ${dataDirectory()}, and no base URL is set.
Start a simulator with \`paysim serve\`, or set --base-url, PAYSIM_BASE_URL or a profile (\`paysim init\`).`

const noKeys = (
  baseUrl: string,
) => `no keys for ${URL.canParse(baseUrl) ? new URL(baseUrl).origin : 'this base URL'}.
Set PAYSIM_PUBLIC_KEY and PAYSIM_SECRET_KEY, --key-file, or a profile (\`paysim init\`).`
