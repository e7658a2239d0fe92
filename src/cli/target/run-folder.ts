import { createHash } from 'node:crypto'
import { chmod, lstat, mkdir, readdir, realpath, rename, rmdir, writeFile } from 'node:fs/promises'
import { homedir, hostname } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import { removeFile } from '../../engine/private-files.ts'
import { isRunning } from '../../engine/processes.ts'
import { FileRefusedError, MEBIBYTE, readRegular } from '../../files/regular-file.ts'

/**
 * Running servers announce themselves to other commands of the same user: each writes a small file in a folder that only
 * this user can read. So commands also find a server in memory, and one whose data directory has another name.
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
export async function announce(
  facts: Omit<Announcement, 'cwd' | 'started_at'>,
): Promise<() => Promise<void>> {
  const cwd = await workingDirectory()
  const entry: Announcement = { ...facts, cwd, started_at: new Date().toISOString() }
  let error: unknown
  // The last server to stop removes the folder, perhaps between two steps of this function: try again.
  for (const folder of runFolders())
    for (let tries = 0; tries < 3; tries++)
      try {
        return await write(folder, entry)
      } catch (cause) {
        error = cause
      }
  throw error
}

async function write(folder: string, entry: Announcement): Promise<() => Promise<void>> {
  const made = await mkdir(folder, { recursive: true, mode: 0o700 })
  await demandOwn(folder)
  await sweep(folder)
  const path = join(folder, `${keyOf(entry.cwd)}-${entry.pid}.json`)
  // Written under another name first, so that nobody reads half a file. An existing name may be a link: never follow it.
  await removeFile(`${path}.new`)
  await writeFile(`${path}.new`, `${JSON.stringify(entry, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
  await rename(`${path}.new`, path)
  return async () => {
    await removeFile(path)
    await removeEmpty(folder, made)
  }
}

/** The last server removes the folders that were created for it. */
async function removeEmpty(folder: string, upTo: string | undefined): Promise<void> {
  if (upTo === undefined) return
  try {
    await rmdir(folder)
    if (folder !== upTo) await removeEmpty(dirname(folder), upTo)
  } catch {
    // Another server's file is in it.
  }
}

/** Refuses a folder that another user owns, and a link: a token must not be written there. */
async function demandOwn(folder: string): Promise<void> {
  const { isOwn, isOpen } = ownership(await lstat(folder))
  if (!isOwn) throw new Error(`${folder} is not a folder of this user`)
  if (isOpen) await chmod(folder, 0o700)
}

function ownership(stats: Awaited<ReturnType<typeof lstat>>): { isOwn: boolean; isOpen: boolean } {
  if (process.platform === 'win32') return { isOwn: stats.isDirectory(), isOpen: false }
  return {
    isOwn: stats.isDirectory() && stats.uid === process.getuid?.(),
    isOpen: (Number(stats.mode) & 0o077) !== 0,
  }
}

/** The announcements of this user's servers, the latest first. Those of killed servers are removed. */
export async function announced(): Promise<Announcement[]> {
  const all = await Promise.all(runFolders().map(readFolder))
  return all.flat().sort((a, b) => (a.started_at < b.started_at ? 1 : -1))
}

async function readFolder(folder: string): Promise<Announcement[]> {
  try {
    const { isOwn, isOpen } = ownership(await lstat(folder))
    if (!isOwn || isOpen) return []
    await sweep(folder)
    const entries = await Promise.all((await ownEntries(folder)).map(name => readEntry(join(folder, name))))
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
async function sweep(folder: string): Promise<void> {
  for (const name of await ownEntries(folder))
    if (!isRunning(Number(/-(\d+)\.json$/.exec(name)?.[1]))) await removeFile(join(folder, name))
}

/** Files of this machine. Several machines may share a home folder, and cannot see each other's processes. */
async function ownEntries(folder: string): Promise<string[]> {
  const start = `${short(hostname())}-`
  return (await readdir(folder)).filter(name => name.startsWith(start) && name.endsWith('.json'))
}

const short = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 12)
const keyOf = (cwd: string) => `${short(hostname())}-${short(cwd)}`

/** Links are resolved, so that a folder always has the same name. */
export const workingDirectory = (): Promise<string> => realpath(process.cwd())
