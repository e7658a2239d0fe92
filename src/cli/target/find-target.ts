import type { Command } from 'commander'
import type { Keys } from '../../client/credentials.ts'
import { UsageError } from '../errors/cli-errors.ts'
import { count, milliseconds } from '../flag-values.ts'
import { cannotRead, secretsOf, textOfFile } from '../named-file.ts'
import { type Profile, profileNamed, readProfiles } from '../profiles/profiles.ts'
import {
  accountNamed,
  asCandidate,
  dataDirectory,
  keysOf,
  type LocalSimulator,
  originOf,
  othersThan,
  simulatorAt,
  simulatorsHere,
  type TargetCandidate,
  type TargetChoice,
} from './local-simulator.ts'

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
  refuseMixed(keys, placeOfKeys(holder?.name ?? 'nowhere'))
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

/** Where keys were found, in words for people. */
export function placeOfKeys(source: string): string {
  if (source === 'environment') return 'PAYSIM_PUBLIC_KEY and PAYSIM_SECRET_KEY'
  return source === 'flag' ? '--key-file' : source
}

/** Keys of two environments never belong together, and the server would only say that they are wrong. */
function refuseMixed({ publicKey, secretKey }: Keys, from: string): void {
  const [, ofPublic] = /^pk_(live|test)_/.exec(publicKey) ?? []
  const [, ofSecret] = /^sk_(live|test)_/.exec(secretKey) ?? []
  if (ofPublic === undefined || ofSecret === undefined || ofPublic === ofSecret) return
  throw new UsageError(
    `the keys from ${from} do not belong together: ${publicKey} is a ${ofPublic} key, and the secret key is a ${ofSecret} key; take both from one account`,
  )
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

/** Where calls go, and with which keys. */
export interface TargetFlags {
  readonly baseUrl?: string
  readonly profile?: string
  readonly account?: string
  readonly keyFile?: string
  readonly contract?: string
  readonly caFile?: string
  readonly requestTimeout?: number
  readonly retries?: number
}

export function targetFlags(command: Command): Command {
  return command
    .option(
      '--base-url <url>',
      'base URL of the API (default: PAYSIM_BASE_URL, then the profile, then the local simulator)',
    )
    .option('--profile <name>', 'use the address and the keys of this profile (default: PAYSIM_PROFILE)')
    .option('--account <id>', 'use this account of the local simulator, such as default.live')
    .option('--key-file <file>', 'read the keys as PUBLIC:SECRET from this file; - means stdin')
    .option('--contract <file>', 'contract file with the decisions of this server')
    .option('--ca-file <file>', 'trust the certificate authorities in this PEM file')
    .option(
      '--request-timeout <duration>',
      'time limit for an answer to start, and again for it to end, such as 30s',
      milliseconds,
    )
    .option('--retries <n>', 'how many times to retry a call that is safe to repeat', count)
}

/** Reads keys from a file or from stdin: `PUBLIC:SECRET`, lines of an environment file, or a JSON object. */
export async function readKeyFile(path: string): Promise<Keys> {
  const found = readKeys(await secretsOf('--key-file', path))
  if (!found)
    throw new UsageError(
      `${path === '-' ? 'stdin' : path} contains no keys: write them as PUBLIC:SECRET, as lines PAYSIM_PUBLIC_KEY=… and PAYSIM_SECRET_KEY=…, or as {"public_key":…,"secret_key":…}`,
    )
  return found
}

function readKeys(written: string): Keys | undefined {
  return written.startsWith('{') ? fromJson(written) : (fromPair(written) ?? fromLines(written))
}

function fromPair(written: string): Keys | undefined {
  const [, publicKey, secretKey] = /^([^\s:=]+):(\S+)$/.exec(written) ?? []
  return publicKey && secretKey ? { publicKey, secretKey } : undefined
}

function fromLines(written: string): Keys | undefined {
  const value = (name: string) =>
    new RegExp(`^(?:export\\s+)?${name}\\s*=\\s*["']?([^"'\\s]+)["']?\\s*$`, 'm').exec(written)?.[1]
  const [publicKey, secretKey] = [value('PAYSIM_PUBLIC_KEY'), value('PAYSIM_SECRET_KEY')]
  return publicKey && secretKey ? { publicKey, secretKey } : undefined
}

function fromJson(written: string): Keys | undefined {
  try {
    const { public_key: publicKey, secret_key: secretKey } = JSON.parse(written)
    return typeof publicKey === 'string' && typeof secretKey === 'string'
      ? { publicKey, secretKey }
      : undefined
  } catch {
    return undefined
  }
}

/** Reads the certificate authorities of `--ca-file`, in PEM format. */
export async function readAuthorities(path: string): Promise<string> {
  const pem = await textOfFile(path).catch(cannotRead(path, '--ca-file'))
  if (!pem.includes('-----BEGIN CERTIFICATE-----'))
    throw new UsageError(`${path} (--ca-file) contains no certificate in PEM format`)
  return pem
}
