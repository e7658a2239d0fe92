import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmdirSync,
  type Stats,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { homedir, hostname } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { isRunning } from '../../engine/store/process-lock.ts'
import { FileRefusedError, MEBIBYTE, readRegular } from '../../files/regular-file.ts'

/**
 * Running servers announce themselves to other commands of the same user: each writes a small file in a folder that only
 * this user can read. So commands also find a server in memory, and one whose data directory has another name.
 *
 * A start waits for its announcement: each of these steps takes less time than to hand it to another thread.
 */
export interface Announcement {
  readonly pid: number
  /** The working directory of the server. */
  readonly cwd: string
  readonly started_at: string
  /** Its server.json has the other facts. Null if they are in this file. */
  readonly data_dir: string | null
}

/** The user's folder for files that need not survive a reboot, if there is one, then one that always exists. */
export function runFolders(): string[] {
  const { XDG_RUNTIME_DIR, XDG_STATE_HOME, LOCALAPPDATA } = process.env
  if (process.platform === 'win32')
    return [join(LOCALAPPDATA || join(homedir(), 'AppData', 'Local'), 'paysim', 'run')]
  const state =
    XDG_STATE_HOME && isAbsolute(XDG_STATE_HOME) ? XDG_STATE_HOME : join(homedir(), '.local/state')
  const runtime = XDG_RUNTIME_DIR && isAbsolute(XDG_RUNTIME_DIR) ? [join(XDG_RUNTIME_DIR, 'paysim')] : []
  return [...runtime, join(state, 'paysim', 'run')]
}

/** Announces this process. Call the returned function to withdraw the announcement. */
export function announce(facts: Omit<Announcement, 'cwd' | 'started_at'>): () => void {
  const cwd = workingDirectory()
  const entry: Announcement = { ...facts, cwd, started_at: new Date().toISOString() }
  let error: unknown
  // The last server to stop removes the folder, perhaps between two steps of this function: try again.
  for (const folder of runFolders())
    for (let tries = 0; tries < 3; tries++)
      try {
        return write(folder, entry)
      } catch (cause) {
        error = cause
      }
  throw error
}

function write(folder: string, entry: Announcement): () => void {
  const made = mkdirSync(folder, { recursive: true, mode: 0o700 })
  demandOwn(folder)
  sweep(folder)
  const path = join(folder, `${keyOf(entry.cwd)}-${entry.pid}.json`)
  // Written under another name first, so that nobody reads half a file. An existing name may be a link: never follow it.
  remove(`${path}.new`)
  writeFileSync(`${path}.new`, `${JSON.stringify(entry, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
  renameSync(`${path}.new`, path)
  return () => {
    remove(path)
    removeEmpty(folder, made)
  }
}

/** Removes a file that may not be there. */
function remove(path: string): void {
  try {
    unlinkSync(path)
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause && cause.code === 'ENOENT')) throw cause
  }
}

/** The last server removes the folders that were created for it. */
function removeEmpty(folder: string, upTo: string | undefined): void {
  if (upTo === undefined) return
  try {
    rmdirSync(folder)
    if (folder !== upTo) removeEmpty(dirname(folder), upTo)
  } catch {
    // Another server's file is in it.
  }
}

/** Refuses a folder that another user owns, and a link: a token must not be written there. */
function demandOwn(folder: string): void {
  const { isOwn, isOpen } = ownership(lstatSync(folder))
  if (!isOwn) throw new Error(`${folder} is not a folder of this user`)
  if (isOpen) chmodSync(folder, 0o700)
}

function ownership(stats: Stats): { isOwn: boolean; isOpen: boolean } {
  if (process.platform === 'win32') return { isOwn: stats.isDirectory(), isOpen: false }
  return {
    isOwn: stats.isDirectory() && stats.uid === process.getuid?.(),
    isOpen: (stats.mode & 0o077) !== 0,
  }
}

/** The announcements of this user's servers, the latest first. Those of killed servers are removed. */
export async function announced(): Promise<Announcement[]> {
  const all = await Promise.all(runFolders().map(readFolder))
  return all.flat().sort((a, b) => (a.started_at < b.started_at ? 1 : -1))
}

async function readFolder(folder: string): Promise<Announcement[]> {
  try {
    const { isOwn, isOpen } = ownership(lstatSync(folder))
    if (!isOwn || isOpen) return []
    sweep(folder)
    const entries = await Promise.all(ownEntries(folder).map(name => readEntry(join(folder, name))))
    return entries.flatMap(entry => (entry === undefined ? [] : [entry]))
  } catch {
    return []
  }
}

async function readEntry(path: string): Promise<Announcement | undefined> {
  try {
    const bytes = await readRegular(path, {
      own: true,
      most: MEBIBYTE,
      check: ({ uid, mode }) => {
        if (process.platform !== 'win32' && (uid !== process.getuid?.() || (mode & 0o077) !== 0))
          throw new FileRefusedError('can be read by others')
      },
    })
    return JSON.parse(bytes.toString('utf8'))
  } catch {
    return undefined
  }
}

/** Removes files of ended processes. The file name contains the pid, so no file has to be read. */
function sweep(folder: string): void {
  for (const name of ownEntries(folder))
    if (!isRunning(Number(/-(\d+)\.json$/.exec(name)?.[1]))) remove(join(folder, name))
}

/** Files of this machine. Several machines may share a home folder, and cannot see each other's processes. */
function ownEntries(folder: string): string[] {
  const start = `${short(hostname())}-`
  return readdirSync(folder).filter(name => name.startsWith(start) && name.endsWith('.json'))
}

/** Node's cryptography is loaded only where something is hashed: it takes as long as a tenth of a command. */
const short = (text: string) =>
  process.getBuiltinModule('node:crypto').createHash('sha256').update(text).digest('hex').slice(0, 12)
const keyOf = (cwd: string) => `${short(hostname())}-${short(cwd)}`

/** Links are resolved, so that a folder always has the same name. */
export const workingDirectory = (): string => realpathSync.native(process.cwd())
