import { demandKnown, type NamesOf } from '../client/call.ts'
import type { Catalogue } from '../client/control-client.ts'
import { Simulator, type SimulatorOptions } from '../simulator.ts'
import { openSimulator, type RunningSimulator } from './running-simulator.ts'

/**
 * The flags of `paysim serve` as options, with the same defaults, except that data is in memory and the port is free.
 */
export interface StartOptions {
  /** Makes keys, ids and payment instructions repeat exactly. */
  readonly seed?: number | string
  /** Other decisions for questions that the interface document leaves open. */
  readonly contract?: Readonly<Record<string, unknown>>
  readonly catalogue?: Catalogue
  /** The clock of the default merchant. */
  readonly clock?: 'real' | 'virtual'
  /** The data directory; in memory by default. */
  readonly dataDir?: string
  readonly port?: number
  readonly host?: string
  /** A separate port for the control surface. */
  readonly controlPort?: number
  readonly controlToken?: string
  readonly allowHosts?: readonly string[]
  readonly allowWebhooks?: readonly string[]
  readonly durability?: 'commit' | 'process'
  /** How long entries that a checkpoint has are kept, in wall time; forever by default. */
  readonly historyMs?: number
  /** How long one advance waits for webhook receivers in all, in wall time; 15 s by default. */
  readonly advanceWaitMs?: number
  /** An export of one account, with which the default merchant of a new store begins. */
  readonly from?: string
  /** Whether webhooks also go to the endpoints of that export; they are removed by default. */
  readonly keepEndpoints?: boolean
  /** The file to which `default.test` is exported when the simulator stops. */
  readonly exportOnExit?: string
  /** Called with the messages that the terminal would show. */
  readonly onWarning?: (message: string) => void
}

const OPTIONS: NamesOf<StartOptions> = {
  seed: true,
  contract: true,
  catalogue: true,
  clock: true,
  dataDir: true,
  port: true,
  host: true,
  controlPort: true,
  controlToken: true,
  allowHosts: true,
  allowWebhooks: true,
  durability: true,
  historyMs: true,
  advanceWaitMs: true,
  from: true,
  keepEndpoints: true,
  exportOnExit: true,
  onWarning: true,
}

/** Starts a whole gateway in this process. */
export async function startSimulator(options: StartOptions = {}): Promise<RunningSimulator> {
  demandKnown('startSimulator()', options, OPTIONS)
  return startWith(options, {})
}

/**
 * What may stand between the simulator and the receivers of its webhooks. The published types leave it out: they would
 * otherwise include those of the whole server.
 * @internal
 */
interface WebhookHooks {
  readonly holdWebhook?: ((url: string, until: AbortSignal) => Promise<void> | undefined) | undefined
  readonly relayWebhook?: SimulatorOptions['relayWebhook']
}

/** The same, with webhooks under the caller's control. @internal */
export async function startWith(options: StartOptions, hooks: WebhookHooks): Promise<RunningSimulator> {
  const { seed, dataDir = null, onWarning = warnOfProcess, port = 0, ...rest } = options
  const simulator = await Simulator.start({
    ...rest,
    port,
    dataDir,
    seed: seed === undefined ? undefined : String(seed),
    ...hooks,
    warn: onWarning,
  })
  const { url, controlUrl, controlToken } = simulator
  return openSimulator({
    url,
    controlUrl,
    controlToken,
    ask: ({ method, path, headers, body }) =>
      typeof body === 'object'
        ? Promise.resolve(undefined)
        : simulator.answer({ method, path, headers, body }),
    end: () => simulator.stop(),
  })
}

const warnOfProcess = (message: string) => process.emitWarning(message, 'PaysimWarning')
