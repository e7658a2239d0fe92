import type { Keys } from '../../client/credentials.ts'
import { UsageFault } from '../faults/usage-fault.ts'
import { profileNamed } from '../profiles/find-profile.ts'
import type { Profile } from '../profiles/profile.ts'
import { readProfiles } from '../profiles/read-profiles.ts'
import type { TargetFlags } from './flags.ts'
import { dataDirectory, findLocalSimulator, type LocalSimulator } from './local-simulator.ts'
import { readKeyFile } from './read-keys.ts'

/** Where a call goes and as whom, and where each of the two was found. */
export interface Target {
  readonly baseUrl: string
  readonly keys: Keys
  readonly from: { readonly baseUrl: string; readonly keys: string }
  readonly profile: Profile | undefined
}

/** A place to look in: it may know the address, the keys, or both. */
interface Source {
  readonly name: string
  readonly baseUrl?: string | undefined
  readonly keys?: Keys | undefined
}

/** Flag beats environment beats profile beats the simulator that runs here. Without keys, the stand-in will do. */
export async function findTarget(flags: TargetFlags, standIn?: Keys): Promise<Target> {
  const { profile, sources } = await sourcesOf(flags)
  const simulator = await findLocalSimulator()
  const local = simulator && localSource(simulator, flags.account)
  const place = [...sources, ...(local ? [local] : [])].find(({ baseUrl }) => baseUrl)
  if (place?.baseUrl === undefined) throw new UsageFault(nowhere())
  const { baseUrl } = place
  // The simulator's keys are the simulator's alone: they are no help elsewhere, and no business of anybody there.
  const isLocal = local !== undefined && sameOrigin(baseUrl, local.baseUrl)
  const holder = [...sources, ...(isLocal ? [local] : [])].find(({ keys }) => keys)
  const keys = holder?.keys ?? standIn
  if (!keys) throw new UsageFault(noKeys(baseUrl))
  return { baseUrl, keys, from: { baseUrl: place.name, keys: holder?.name ?? 'nowhere' }, profile }
}

async function sourcesOf(
  flags: TargetFlags,
): Promise<{ profile: Profile | undefined; sources: readonly Source[] }> {
  const { PAYSIM_BASE_URL, PAYSIM_PUBLIC_KEY: publicKey, PAYSIM_SECRET_KEY: secretKey } = process.env
  if (!publicKey !== !secretKey)
    throw new UsageFault('PAYSIM_PUBLIC_KEY and PAYSIM_SECRET_KEY go together: one of them is not set')
  const named = await findProfile(flags.profile)
  const kept =
    named ?? (await findProfile(process.env.PAYSIM_PROFILE || undefined)) ?? (await currentProfile())
  const fromFlags: Source = {
    name: 'flag',
    baseUrl: flags.baseUrl,
    keys: flags.keyFile === undefined ? undefined : await readKeyFile(flags.keyFile),
  }
  const environment: Source = {
    name: 'environment',
    baseUrl: PAYSIM_BASE_URL || undefined,
    keys: publicKey && secretKey ? { publicKey, secretKey } : undefined,
  }
  // A profile that a flag names, or an account, is a flag's choice: the environment does not overrule it.
  if (flags.account !== undefined) return { profile: undefined, sources: [fromFlags] }
  if (named) return { profile: named.profile, sources: [fromFlags, sourceOf(named)] }
  return { profile: kept?.profile, sources: [fromFlags, environment, ...(kept ? [sourceOf(kept)] : [])] }
}

interface Named {
  readonly name: string
  readonly profile: Profile
}

const sourceOf = ({ name, profile }: Named): Source => ({
  name: `profile ${name}`,
  baseUrl: profile.base_url,
  keys: { publicKey: profile.public_key, secretKey: profile.secret_key },
})

async function findProfile(name: string | undefined): Promise<Named | undefined> {
  if (name === undefined) return undefined
  return { name, profile: profileNamed(name, await readProfiles()) }
}

async function currentProfile(): Promise<Named | undefined> {
  const { current } = await readProfiles()
  return current === null ? undefined : findProfile(current)
}

const DEFAULT_ACCOUNT = 'default.test'

function localSource({ url, accounts }: LocalSimulator, wanted = DEFAULT_ACCOUNT): Source {
  const account = accounts.find(({ id }) => id === wanted)
  if (!account)
    throw new UsageFault(
      `the simulator that runs here has no account ${wanted}; it has ${accounts.map(({ id }) => id).join(', ')}`,
    )
  const keys = { publicKey: account.public_key, secretKey: account.secret_key }
  return { name: `the simulator that runs here, ${wanted}`, baseUrl: url, keys }
}

function sameOrigin(one: string, other: string | undefined): boolean {
  return URL.canParse(one) && other !== undefined && new URL(one).origin === new URL(other).origin
}

const nowhere = () => `where to? No simulator serves ${dataDirectory()}, and nothing else is named.
Start one with \`paysim serve\`, or give --base-url, PAYSIM_BASE_URL or a profile (\`paysim init\`).`

const noKeys = (
  baseUrl: string,
) => `there are no keys for ${URL.canParse(baseUrl) ? new URL(baseUrl).origin : 'this base URL'}.
Set PAYSIM_PUBLIC_KEY and PAYSIM_SECRET_KEY, or give --key-file, or a profile (\`paysim init\`).`
