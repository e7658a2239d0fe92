import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { EXIT } from '../errors/exit-code.ts'
import { isOpenToOthers, profilesPath, readProfiles } from '../profiles/read-profiles.ts'
import { type Check, fault, ok, warning } from './check.ts'

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
