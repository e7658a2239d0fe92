import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ControlClient, ControlError } from '../../client/control-client.ts'
import { findControl } from '../control/find-control.ts'
import { EXIT } from '../errors/exit-code.ts'
import { isOpenToOthers, profilesPath, readProfiles } from '../profiles/profiles.ts'
import { dataDirectory, findLocalSimulator } from '../target/local-simulator.ts'
import { type Check, fault, ok, warning } from './report.ts'

/** As package.json has it. */
const OLDEST_NODE = '20.17.0'

export function checkNode(version: string = process.versions.node): Check {
  const what = `Node ${version} on ${process.platform} ${process.arch}`
  if (!isOlder(version, OLDEST_NODE)) return ok('node', what)
  const advice = `install Node ${OLDEST_NODE} or later`
  return fault('node', `${what} is too old`, { advice, exitCode: EXIT.unexpected })
}

function isOlder(version: string, than: string): boolean {
  const [one, other] = [version, than].map(text => text.split('.').map(part => Number.parseInt(part, 10)))
  for (const [place, part] of (other ?? []).entries())
    if (one?.[place] !== part) return (one?.[place] ?? 0) < part
  return false
}

/** The file of profiles: whether it can be read, and by whom. */
export async function* checkProfiles(): AsyncGenerator<Check> {
  const path = profilesPath()
  const file = await stat(path).catch(() => undefined)
  if (!file) return yield ok('profiles', `none are kept: there is no ${path}`)
  try {
    const { current, profiles } = await readProfiles()
    const count = Object.keys(profiles).length
    const inUse = current === null ? 'none of them in use' : `${current} in use`
    yield current === null || Object.hasOwn(profiles, current)
      ? ok('profiles', `${count} in ${path}, ${inUse}`)
      : fault('profiles', `${current} is to be used, and is not among the ${count} in ${path}`, {
          advice: '`paysim profile use NAME` names another',
          exitCode: EXIT.usage,
        })
  } catch (cause) {
    const advice = 'it is a JSON file: mend it by hand, or remove it and begin again with `paysim init`'
    yield fault('profiles', messageOf(cause), { advice, exitCode: EXIT.usage })
  }
  yield* checkPermissions(path, file.mode)
}

async function* checkPermissions(path: string, mode: number): AsyncGenerator<Check> {
  const directory = await stat(dirname(path))
  if (isOpenToOthers(mode))
    yield warning('permissions', `${path} holds keys, and others can read it`, `chmod 600 '${path}'`)
  else if (isOpenToOthers(directory.mode))
    yield warning('permissions', `${dirname(path)} is open to others`, `chmod 700 '${dirname(path)}'`)
  else
    yield ok(
      'permissions',
      process.platform === 'win32' ? 'left to Windows' : 'only you can read the profiles',
    )
}

export const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

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
