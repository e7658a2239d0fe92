import { openSimulator, type RunningSimulator } from './running-simulator.ts'

/** What the ready line of `paysim serve --json` and the environment of `paysim exec` tell. */
export interface SimulatorAddress {
  readonly controlUrl: string
  readonly controlToken: string
  /** Where the merchant API is; without `/_paysim` of the control URL, if left out. */
  readonly url?: string
}

/** A simulator that runs elsewhere. Stopping it here closes what was opened here, and leaves it running. */
export function connectSimulator({
  controlUrl,
  controlToken,
  url,
}: SimulatorAddress): Promise<RunningSimulator> {
  return openSimulator({ url: url ?? controlUrl.replace(/\/_paysim\/*$/, ''), controlUrl, controlToken })
}
