import { demandKnown, type NamesOf } from '../client/call.ts'
import { ArgumentError } from '../client/errors.ts'
import { openSimulator, type RunningSimulator } from './running-simulator.ts'

/**
 * The address and the token, as in the ready line of `paysim serve --json` and the environment of `paysim exec`.
 */
export interface SimulatorAddress {
  readonly controlUrl: string
  readonly controlToken: string
  /** The address of the merchant API. By default it is the control URL without `/_paysim`. */
  readonly url?: string
}

const ADDRESS: NamesOf<SimulatorAddress> = { controlUrl: true, controlToken: true, url: true }

/**
 * Connects to a simulator that runs elsewhere, with the members of the ready line. `stop()` closes only what was
 * opened here; the simulator keeps running.
 */
export async function connectSimulator(address: SimulatorAddress): Promise<RunningSimulator> {
  for (const name of ['controlUrl', 'controlToken'] as const) {
    if (typeof address?.[name] === 'string') continue
    demandKnown('connectSimulator()', address, ADDRESS)
    throw new ArgumentError(`connectSimulator() needs ${name}, a string`)
  }
  const { controlUrl, controlToken, url } = address
  return openSimulator({ url: url ?? controlUrl.replace(/\/_paysim\/*$/, ''), controlUrl, controlToken })
}
