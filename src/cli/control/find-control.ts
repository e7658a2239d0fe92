import type { Command } from 'commander'
import type { ControlAddress } from '../../client/control-caller.ts'
import type { ControlClient, MerchantRecord } from '../../client/control-client.ts'
import type { AnswerTo } from '../../contract/control/call.ts'
import { UsageError } from '../errors/cli-errors.ts'
import { secretsOf } from '../named-file.ts'
import { NO_PROFILES, readProfiles } from '../profiles/profiles.ts'
import type { Target } from '../target/find-target.ts'
import {
  asCandidate,
  dataDirectory,
  type LocalSimulator,
  originOf,
  othersThan,
  simulatorAt,
  simulatorsHere,
  type TargetCandidate,
  type TargetChoice,
} from '../target/local-simulator.ts'

/** The simulator to call. */
export interface ControlTargetFlags {
  readonly controlUrl?: string
  readonly controlToken?: string
  readonly controlTokenFile?: string
}

export function controlTargetFlags(command: Command): Command {
  return command
    .option(
      '--control-url <url>',
      'control surface of the simulator (default: PAYSIM_CONTROL_URL, else the local simulator)',
    )
    .option(
      '--control-token <token>',
      'token of the simulator; PAYSIM_CONTROL_TOKEN keeps it out of the process list',
    )
    .option('--control-token-file <file>', 'read the token from a file; - means stdin')
}

/** The control surface to call, and where its address was found. */
export interface ControlTarget extends ControlAddress {
  readonly from: { readonly controlUrl: string; readonly token: string }
  /** The merchant API of the same simulator, if known. */
  readonly url: string | undefined
  /** What the simulator says about itself, if this user runs it on this machine. */
  readonly simulator: LocalSimulator | undefined
  readonly choice: TargetChoice
}

/**
 * Flags come first, then the environment, the profile, and the local simulator, as for merchant commands. The base
 * URL of a simulator on this machine also leads to its control surface. `standIn` is used if there is no token.
 */
export async function findControl(flags: ControlTargetFlags, standIn?: string): Promise<ControlTarget> {
  const here = await simulatorsHere()
  const gateway = await gatewayNamed()
  const place = await placeOf(flags, here, gateway)
  if (!place) throw new UsageError(nowhere(gateway))
  const controlUrl = surfaceAt(place.value, place.from)
  // A token is sent only to its own simulator.
  const simulator = await simulatorAt(controlUrl)
  const token =
    (await tokenOf(flags, simulator, place.from === gateway?.name)) ??
    (standIn === undefined ? undefined : found(standIn, 'nowhere'))
  if (!token) throw new UsageError(noToken(controlUrl))
  const others = async () =>
    othersThan(simulator?.url ?? controlUrl, [...(gateway ? [gateway] : []), ...here.map(asCandidate)])
  return {
    controlUrl,
    token: token.value,
    from: { controlUrl: place.from, token: token.from },
    url:
      simulator?.url ??
      (place.from === IN_ENVIRONMENT ? process.env.PAYSIM_BASE_URL || undefined : undefined),
    simulator,
    choice: { chosen: { url: controlUrl, name: place.from }, others, named: place.named },
  }
}

const IN_ENVIRONMENT = 'PAYSIM_CONTROL_URL'
const LOCAL = 'the local simulator'

interface FoundSetting {
  readonly value: string
  readonly from: string
}

const found = (value: string, from: string): FoundSetting => ({ value, from })

/** Where merchant commands go, if the environment or a profile says so. */
async function gatewayNamed(): Promise<(TargetCandidate & { readonly named: boolean }) | undefined> {
  const { PAYSIM_BASE_URL, PAYSIM_PROFILE } = process.env
  if (PAYSIM_BASE_URL) return { url: PAYSIM_BASE_URL, name: 'PAYSIM_BASE_URL', named: true }
  // The commands that need the file of profiles report that it cannot be read.
  const { current, profiles } = await readProfiles().catch(() => NO_PROFILES)
  const name = PAYSIM_PROFILE ?? current
  const profile = name !== null && Object.hasOwn(profiles, name) ? profiles[name] : undefined
  return profile && { url: profile.base_url, name: `profile ${name}`, named: PAYSIM_PROFILE !== undefined }
}

async function placeOf(
  { controlUrl, controlToken, controlTokenFile }: ControlTargetFlags,
  [local]: readonly LocalSimulator[],
  gateway: Awaited<ReturnType<typeof gatewayNamed>>,
): Promise<(FoundSetting & { readonly named: boolean }) | undefined> {
  const { PAYSIM_CONTROL_URL, PAYSIM_CONTROL_TOKEN } = process.env
  if (controlUrl !== undefined) return { ...found(controlUrl, '--control-url'), named: true }
  if (PAYSIM_CONTROL_URL) return { ...found(PAYSIM_CONTROL_URL, IN_ENVIRONMENT), named: true }
  if (gateway) {
    const known = await simulatorAt(gateway.url)
    if (known && known.control_url !== local?.control_url)
      return { ...found(known.control_url, gateway.name), named: gateway.named }
    // A token given without an address belongs to the gateway that was named.
    const token = controlToken ?? controlTokenFile ?? PAYSIM_CONTROL_TOKEN
    if (!known && !local && token !== undefined)
      return { ...found(originOf(gateway.url) ?? gateway.url, gateway.name), named: gateway.named }
  }
  return local && { ...found(local.control_url, LOCAL), named: false }
}
async function tokenOf(
  { controlToken, controlTokenFile }: ControlTargetFlags,
  simulator: LocalSimulator | undefined,
  /** True if the base URL led to the simulator: the token in the environment may belong to another one. */
  preferOwn: boolean,
): Promise<FoundSetting | undefined> {
  const { PAYSIM_CONTROL_TOKEN } = process.env
  if (controlToken !== undefined && controlTokenFile !== undefined)
    throw new UsageError('--control-token and --control-token-file cannot be combined: give one of them')
  if (controlToken !== undefined) return found(controlToken, '--control-token')
  if (controlTokenFile !== undefined) return found(await readToken(controlTokenFile), '--control-token-file')
  if (simulator && preferOwn) return found(simulator.control_token, LOCAL)
  if (PAYSIM_CONTROL_TOKEN) return found(PAYSIM_CONTROL_TOKEN, 'PAYSIM_CONTROL_TOKEN')
  return simulator && found(simulator.control_token, LOCAL)
}

/** A token from a file, which keeps it out of the process list. */
export async function readToken(path: string): Promise<string> {
  const token = await secretsOf('--control-token-file', path)
  if (/^\S+$/.test(token)) return token
  throw new UsageError(`${path === '-' ? 'stdin' : path} must contain a token and nothing else`)
}

/** Accepts the address as `serve` prints it, or only that of the server. */
function surfaceAt(written: string, from: string): string {
  const url = URL.canParse(written) ? new URL(written) : undefined
  if (!url || !/^https?:$/.test(url.protocol) || url.username || url.password || url.search || url.hash)
    throw new UsageError(
      `${from} must be the address of a control surface, such as http://127.0.0.1:7297/_paysim`,
    )
  return `${url.origin}${url.pathname === '/' ? '/_paysim' : url.pathname}`
}

const nowhere = (gateway: TargetCandidate | undefined) =>
  `no simulator found: none serves ${dataDirectory()}, none was started here, and no address is given.${
    gateway ? `\n${gateway.name} is ${gateway.url}, which is not a simulator known on this machine.` : ''
  }
Start one with \`paysim serve\`, set PAYSIM_DATA to the data directory of one, or give --control-url and a token.`

const noToken = (controlUrl: string) => `there is no token for ${new URL(controlUrl).origin}.
\`paysim serve\` prints it: set PAYSIM_CONTROL_TOKEN, or give --control-token-file.`

/**
 * Asks the control surface about the account whose keys a call of the merchant API uses. Undefined if the call goes to no
 * simulator that is known here, or if it does not answer: what people see besides must not make a command fail.
 */
export async function askOwnAccount<T>(
  { baseUrl, keys }: Pick<Target, 'baseUrl' | 'keys'>,
  ask: (account: ReturnType<ControlClient['account']>, id: string) => Promise<T>,
): Promise<T | undefined> {
  try {
    const simulator = await findControl({})
    if (simulator.url === undefined || new URL(simulator.url).origin !== new URL(baseUrl).origin)
      return undefined
    const { ControlClient } = await import('../../client/control-client.ts')
    const control = new ControlClient(simulator)
    try {
      // It announced the accounts that it had at its start.
      const announced = simulator.simulator?.accounts.find(account => account.public_key === keys.publicKey)
      const id = announced?.id ?? accountOf(keys.publicKey, await control.merchants.list())
      return id === undefined ? undefined : await ask(control.account(id), id)
    } finally {
      await control.close()
    }
  } catch {
    return undefined
  }
}

/** Why a record is as it is, if that can be asked. */
export const whyHere = (
  target: Pick<Target, 'baseUrl' | 'keys'>,
  id: string,
): Promise<AnswerTo<'GET /accounts/:account/why/:id'> | undefined> =>
  askOwnAccount(target, async account => account.call('GET /accounts/:account/why/:id', { params: { id } }))

function accountOf(publicKey: string, merchants: readonly MerchantRecord[]): string | undefined {
  return merchants
    .flatMap(({ accounts }) => accounts)
    .find(({ public_key, more_keys = [] }) =>
      [public_key, ...more_keys.map(pair => pair.public_key)].includes(publicKey),
    )?.id
}
