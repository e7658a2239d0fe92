// Plain JavaScript, because the benchmarks load it too.
import { execFileSync } from 'node:child_process'
import { accessSync, constants, readdirSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Debian has PostgreSQL's programs outside PATH, one folder for each major version. */
const DEBIAN = '/usr/lib/postgresql'
const NEEDED = ['initdb', 'postgres', 'psql']

/** The folder of PostgreSQL's programs; undefined if they are not installed. */
export function postgresPrograms() {
  const versions = read(() => readdirSync(DEBIAN)).sort((a, b) => Number(b) - Number(a))
  const folders = [
    ...(process.env.PATH ?? '').split(delimiter).filter(folder => folder !== ''),
    ...versions.map(version => join(DEBIAN, version, 'bin')),
  ]
  return folders.find(folder => NEEDED.every(name => isExecutable(join(folder, name))))
}

/** Why no PostgreSQL can run here; undefined if it can. */
export function whyNoPostgres() {
  if (process.platform === 'win32') return 'PostgreSQL is started only on Unix'
  if (postgresPrograms() === undefined)
    return `the programs ${NEEDED.join(', ')} are neither in PATH nor below ${DEBIAN}`
  const users = ['postgres', 'nobody']
  if (process.getuid?.() === 0 && !users.some(isUser))
    return 'PostgreSQL refuses to run as root, and there is no user postgres or nobody'
  return undefined
}

function read(list) {
  try {
    return list()
  } catch {
    return []
  }
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function isUser(name) {
  try {
    execFileSync('id', ['-u', name], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
