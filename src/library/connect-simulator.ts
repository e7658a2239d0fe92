import { ArgumentError } from '../client/errors.ts'
import { demandKnown, type NamesOf } from '../client/options.ts'
import { openSimulator, type RunningSimulator } from './running-simulator.ts'

/** What the ready line of `paysim serve --json` and the environment of `paysim exec` tell. */
export interface SimulatorAddress {
  readonly controlUrl: string
  readonly controlToken: string
  /** Where the merchant API is; without `/_paysim` of the control URL, if left out. */
  readonly url?: string
}

const ADDRESS: NamesOf<SimulatorAddress> = { controlUrl: true, controlToken: true, url: true }

/**
 * A simulator that runs elsewhere, named by what the ready line tells, or by whatever else holds these members. Stopping it
 * here closes what was opened here, and leaves it running.
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
