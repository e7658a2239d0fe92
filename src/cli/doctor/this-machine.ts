import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ControlClient, ControlError } from '../../client/control-client.ts'
import { findControl } from '../control/find-control.ts'
import { EXIT } from '../errors/exit-code.ts'
import { isOpenToOthers } from '../named-file.ts'
import { profilesPath, readProfiles } from '../profiles/profiles.ts'
import { dataDirectory, findLocalSimulator } from '../target/local-simulator.ts'
import { type Check, ok, problem, warning } from './report.ts'

/** The same as in package.json. */
const OLDEST_NODE = '20.19.0'

export function checkNode(version: string = process.versions.node): Check {
  const what = `Node ${version} on ${process.platform} ${process.arch}`
  if (!isOlder(version, OLDEST_NODE)) return ok('node', what)
  const advice = `install Node ${OLDEST_NODE} or later`
  return problem('node', `${what} is too old`, { advice, exitCode: EXIT.unexpected })
}

function isOlder(version: string, than: string): boolean {
  const [one, other] = [version, than].map(text => text.split('.').map(part => Number.parseInt(part, 10)))
  for (const [place, part] of (other ?? []).entries())
    if (one?.[place] !== part) return (one?.[place] ?? 0) < part
  return false
}

/** Checks the file of profiles, and who can read it. */
export async function* checkProfiles(): AsyncGenerator<Check> {
  const path = profilesPath()
  const file = await stat(path).catch(() => undefined)
  if (!file) return yield ok('profiles', `none: ${path} does not exist`)
  try {
    const { current, profiles } = await readProfiles()
    const count = Object.keys(profiles).length
    const inUse = current === null ? 'none of them current' : `${current} is current`
    yield current === null || Object.hasOwn(profiles, current)
      ? ok('profiles', `${count} in ${path}, ${inUse}`)
      : problem('profiles', `the current profile ${current} is not among the ${count} in ${path}`, {
          advice: 'choose another with `paysim profile use NAME`',
          exitCode: EXIT.usage,
        })
  } catch (cause) {
    const advice = 'correct this JSON file, or delete it and run `paysim init`'
    yield problem('profiles', messageOf(cause), { advice, exitCode: EXIT.usage })
  }
  yield* checkPermissions(path, file.mode)
}

async function* checkPermissions(path: string, mode: number): AsyncGenerator<Check> {
  const directory = await stat(dirname(path))
  if (isOpenToOthers(mode))
    yield warning(
      'permissions',
      `other users can read ${path}, which contains keys`,
      `run chmod 600 '${path}'`,
    )
  else if (isOpenToOthers(directory.mode))
    yield warning('permissions', `other users can open ${dirname(path)}`, `run chmod 700 '${dirname(path)}'`)
  else
    yield ok(
      'permissions',
      process.platform === 'win32' ? 'managed by Windows' : 'only you can read the profiles',
    )
}

export const messageOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/** Checks the local simulator, or the one that the environment names. */
export async function* checkSimulator(signal: AbortSignal): AsyncGenerator<Check> {
  const local = await findLocalSimulator()
  if (!local && !process.env.PAYSIM_CONTROL_URL)
    return yield ok('simulator', `none serves ${dataDirectory()}, and none was started in this folder`)
  let control: ControlClient
  let at: string
  try {
    const target = await findControl({})
    control = new ControlClient(target, { signal })
    at = `${target.controlUrl}, from ${target.from.controlUrl}`
  } catch (cause) {
    return yield problem('simulator', messageOf(cause), {
      advice: 'set PAYSIM_CONTROL_TOKEN to the token that `paysim serve` printed',
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
      return problem('simulator', `${at}, answered ${cause.status}: ${cause.message}`, {
        advice: 'set PAYSIM_CONTROL_TOKEN to the token that `paysim serve` printed',
        exitCode: EXIT.credentials,
      })
    return warning(
      'simulator',
      `${at}, does not answer`,
      `it was probably killed: start it again with \`paysim serve\`, or delete ${dataDirectory()}/server.json`,
    )
  }
}
