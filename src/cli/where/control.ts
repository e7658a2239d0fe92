import type { ControlAddress } from '../../client/control-caller.ts'
import { UsageError } from '../errors/cli-errors.ts'
import { asCandidate, othersThan, type TargetCandidate, type TargetChoice } from './choice.ts'
import { readToken } from './key-file.ts'
import { placeOfAddress } from './keys.ts'
import { dataDirectory, type LocalSimulator, originOf } from './simulators.ts'
import { type Candidates, inEnvironment, placeAmong, type Sources, type WhereFlags } from './sources.ts'

/** The control surface to call, and where its address was found. */
export interface Control extends ControlAddress {
  readonly from: { readonly controlUrl: string; readonly token: string }
  /** The merchant API of the same simulator, if known. */
  readonly url: string | undefined
  /** What the simulator says about itself, if this user runs it on this machine. */
  readonly simulator: LocalSimulator | undefined
  readonly choice: TargetChoice
}

/** None is known yet, or its token is not: both may change once one is started. */
export class NoSimulatorError extends UsageError {}

/**
 * Flags come first, then the environment, the address of the merchant API, and the local simulator. The base URL of a
 * simulator on this machine also leads to its control surface. `standIn` is used if there is no token.
 */
export async function findControl(
  sources: Sources,
  candidates: () => Promise<Candidates>,
  standIn?: string,
): Promise<Control> {
  const { running, environment } = sources
  const here = await running.here()
  const gateway = await gatewayOf(sources, candidates)
  const place = await placeOf(sources, here, gateway)
  if (!place) throw new NoSimulatorError(nowhere(gateway))
  const controlUrl = surfaceAt(place.value, place.from)
  // A token is sent only to its own simulator.
  const simulator = await running.at(controlUrl)
  const token =
    (await tokenOf(sources, {
      controlUrl,
      from: place.from,
      simulator,
      isGateway: place.from === gateway?.name,
    })) ?? (standIn === undefined ? undefined : found(standIn, 'nowhere'))
  if (!token) throw new NoSimulatorError(noToken(controlUrl))
  const others = async () =>
    othersThan(simulator?.url ?? controlUrl, [...(gateway ? [gateway] : []), ...here.map(asCandidate)])
  return {
    controlUrl,
    token: token.value,
    from: { controlUrl: place.from, token: token.from },
    url:
      simulator?.url ??
      (place.from === IN_ENVIRONMENT ? environment.PAYSIM_BASE_URL || undefined : undefined),
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

type Gateway = TargetCandidate & { readonly named: boolean }

/** Where merchant commands go, if an option, the environment or a profile says so. */
async function gatewayOf(
  { environment }: Sources,
  candidates: () => Promise<Candidates>,
): Promise<Gateway | undefined> {
  // The commands that need the file of profiles report that it cannot be read.
  const place = placeAmong(await candidates().catch(() => ({ sources: [inEnvironment(environment)] })))
  return place && { url: place.baseUrl, name: placeOfAddress(place.name), named: place.named }
}

async function placeOf(
  { flags: { controlUrl, controlToken, controlTokenFile }, environment, running }: Sources,
  [local]: readonly LocalSimulator[],
  gateway: Gateway | undefined,
): Promise<(FoundSetting & { readonly named: boolean }) | undefined> {
  const { PAYSIM_CONTROL_URL, PAYSIM_CONTROL_TOKEN } = environment
  if (controlUrl !== undefined) return { ...found(controlUrl, '--control-url'), named: true }
  if (PAYSIM_CONTROL_URL) return { ...found(PAYSIM_CONTROL_URL, IN_ENVIRONMENT), named: true }
  if (gateway) {
    const known = await running.at(gateway.url)
    if (known && known.control_url !== local?.control_url)
      return { ...found(known.control_url, gateway.name), named: gateway.named }
    // A token given without an address belongs to the gateway that was named.
    const token = controlToken ?? controlTokenFile ?? (PAYSIM_CONTROL_TOKEN || undefined)
    if (!known && !local && token !== undefined)
      return { ...found(originOf(gateway.url) ?? gateway.url, gateway.name), named: gateway.named }
  }
  return local && { ...found(local.control_url, LOCAL), named: false }
}

interface Surface {
  readonly controlUrl: string
  readonly from: string
  readonly simulator: LocalSimulator | undefined
  /** Whether the base URL led to the simulator: the token in the environment may belong to another one. */
  readonly isGateway: boolean
}

async function tokenOf(
  { flags, environment }: Sources,
  { controlUrl, from, simulator, isGateway }: Surface,
): Promise<FoundSetting | undefined> {
  const given = await tokenIn(flags)
  if (given) return given
  const own = simulator && found(simulator.control_token, LOCAL)
  if (own && isGateway) return own
  const { PAYSIM_CONTROL_URL, PAYSIM_CONTROL_TOKEN } = environment
  if (!PAYSIM_CONTROL_TOKEN) return own
  if (!PAYSIM_CONTROL_URL || originOf(PAYSIM_CONTROL_URL) === originOf(controlUrl))
    return found(PAYSIM_CONTROL_TOKEN, 'PAYSIM_CONTROL_TOKEN')
  if (own) return own
  throw new UsageError(
    `the token in PAYSIM_CONTROL_TOKEN belongs to ${originOf(PAYSIM_CONTROL_URL) ?? PAYSIM_CONTROL_URL}, not to ${originOf(controlUrl)} (${from}): give the token of that address with --control-token-file`,
  )
}

async function tokenIn({ controlToken, controlTokenFile }: WhereFlags): Promise<FoundSetting | undefined> {
  if (controlToken !== undefined && controlTokenFile !== undefined)
    throw new UsageError('--control-token and --control-token-file cannot be combined: give one of them')
  if (controlToken !== undefined) return found(controlToken, '--control-token')
  return controlTokenFile === undefined
    ? undefined
    : found(await readToken(controlTokenFile), '--control-token-file')
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
