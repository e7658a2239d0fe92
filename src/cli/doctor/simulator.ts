import { ControlClient, ControlError } from '../../client/control-client.ts'
import { findControl } from '../control/find-control.ts'
import { EXIT } from '../errors/exit-code.ts'
import { dataDirectory, findLocalSimulator } from '../target/local-simulator.ts'
import { type Check, fault, ok, warning } from './check.ts'
import { messageOf } from './surroundings.ts'

/** The simulator that runs here, or that the environment names, and whether it can be controlled. */
export async function* checkSimulator(signal: AbortSignal): AsyncGenerator<Check> {
  const local = await findLocalSimulator()
  if (!local && !process.env.PAYSIM_CONTROL_URL)
    return yield ok('simulator', `none serves ${dataDirectory()}, and none was started in this folder`)
  let control: ControlClient
  let at: string
  try {
    const target = await findControl({})
    control = new ControlClient(target, { signal })
    at = `${target.controlUrl}, by ${target.from.controlUrl}`
  } catch (cause) {
    return yield fault('simulator', messageOf(cause), {
      advice: 'give PAYSIM_CONTROL_TOKEN what `paysim serve` printed',
      exitCode: EXIT.usage,
    })
  }
  try {
    yield await controlCheck(control, at)
  } finally {
    await control.close()
  }
}

async function controlCheck(control: ControlClient, at: string): Promise<Check> {
  try {
    await control.health()
    const merchants = await control.merchants.list()
    return ok(
      'simulator',
      `${at}, with ${merchants.length} ${merchants.length === 1 ? 'merchant' : 'merchants'}`,
    )
  } catch (cause) {
    if (cause instanceof ControlError)
      return fault('simulator', `${at}, answers ${cause.status}: ${cause.message}`, {
        advice: 'give PAYSIM_CONTROL_TOKEN what `paysim serve` printed',
        exitCode: EXIT.credentials,
      })
    return warning(
      'simulator',
      `${at}, does not answer`,
      `it was killed, if it ever ran: start it again with \`paysim serve\`, or remove ${dataDirectory()}/server.json`,
    )
  }
}
