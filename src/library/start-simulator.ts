import type { Catalogue } from '../client/control-client.ts'
import { demandKnown, type NamesOf } from '../client/options.ts'
import { Simulator } from '../simulator.ts'
import { openSimulator, type RunningSimulator } from './running-simulator.ts'

/** What `paysim serve` takes as flags. What is left out is as it is there, but in memory and on a free port. */
export interface StartOptions {
  /** Makes keys, ids and instructions repeat exactly. */
  readonly seed?: number | string
  /** Other answers where the interface document is silent. */
  readonly contract?: Readonly<Record<string, unknown>>
  readonly catalogue?: Catalogue
  /** How time passes for the default merchant. */
  readonly clock?: 'real' | 'virtual'
  /** Where everything is kept; in memory, if left out. */
  readonly dataDir?: string
  readonly port?: number
  readonly host?: string
  /** Serves the control surface alone, on a port of its own. */
  readonly controlPort?: number
  readonly controlToken?: string
  readonly allowHosts?: readonly string[]
  readonly allowWebhooks?: readonly string[]
  readonly durability?: 'commit' | 'process'
  /** Hears what the person at the terminal would. */
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
  onWarning: true,
}

/** A whole gateway in this process. */
export async function startSimulator(options: StartOptions = {}): Promise<RunningSimulator> {
  demandKnown('startSimulator()', options, OPTIONS)
  return startHolding(options, undefined)
}

/**
 * The same, whose webhooks wait for whom `holdWebhook` waits for. Its type is written out: the types that ship would
 * otherwise take the whole server's with them.
 */
export async function startHolding(
  options: StartOptions,
  holdWebhook: ((url: string, until: AbortSignal) => Promise<void> | undefined) | undefined,
): Promise<RunningSimulator> {
  const { seed, dataDir = null, onWarning = warnOfProcess, port = 0, ...rest } = options
  const simulator = await Simulator.start({
    ...rest,
    port,
    dataDir,
    seed: seed === undefined ? undefined : String(seed),
    holdWebhook,
    warn: onWarning,
  })
  const { url, controlUrl, controlToken } = simulator
  return openSimulator({ url, controlUrl, controlToken, end: () => simulator.stop() })
}

const warnOfProcess = (message: string) => process.emitWarning(message, 'PaysimWarning')
