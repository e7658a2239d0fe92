import { constants, type Stats } from 'node:fs'
import {
  chmod,
  type FileHandle,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  rename,
  rm,
  stat,
  unlink,
} from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { OWN_FILE } from '../../files/regular-file.ts'
import { StartError, TooManyFilesError, UnavailableError } from './store-errors.ts'

/**
 * Files with secrets and journals: only their owner can read them, whatever the umask is. Links are not followed;
 * otherwise anybody who can place a link could choose which file is read, shortened or overwritten.
 */

const FLAGS = {
  /** Opens a file for reading and appending; creates it if it does not exist. */
  append: constants.O_RDWR | constants.O_APPEND | constants.O_CREAT,
  /** The same for a file that must exist. */
  present: constants.O_RDWR | constants.O_APPEND,
  /** Creates a file for appending; fails if the name is taken. */
  new: constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | constants.O_EXCL,
  /** Opens a file for writing from the start. It is emptied when it is known to be ours. */
  fresh: constants.O_RDWR | constants.O_CREAT,
  read: constants.O_RDONLY,
} as const

export async function openPrivate(path: string, how: keyof typeof FLAGS): Promise<FileHandle> {
  let handle: FileHandle
  try {
    handle = await open(path, FLAGS[how] | OWN_FILE, 0o600)
  } catch (cause) {
    throw refused(path, cause)
  }
  try {
    const found = await handle.stat()
    if (!found.isFile()) throw notAFile(path)
    demandOwner(path, found)
    if (modeOf(found) !== 0o600) await handle.chmod(0o600)
    if (how === 'fresh' && found.size > 0) await handle.truncate()
    return handle
  } catch (cause) {
    await handle.close()
    throw cause
  }
}

/** Opens a file for some work, and closes it after that. */
export async function useFile<T>(
  path: string,
  how: keyof typeof FLAGS,
  work: (handle: FileHandle) => Promise<T>,
): Promise<T> {
  const handle = await openPrivate(path, how)
  try {
    return await work(handle)
  } finally {
    await handle.close()
  }
}

const notAFile = (path: string) =>
  new StartError(`${path} is not a regular file: move it away, or restore the file from a backup`)

/** Explains a problem that the user must correct. Returns any other error unchanged. */
function refused(path: string, cause: unknown): unknown {
  const code = codeOf(cause)
  if (code === 'EMFILE' || code === 'ENFILE') return new TooManyFilesError(path, cause)
  if (code === 'EISDIR' || code === 'ENXIO') return notAFile(path)
  if (code === 'EACCES')
    return new StartError(`${path} cannot be opened by this user: change its owner, or use another --data`)
  if (code !== 'ELOOP') return cause
  return new StartError(
    `${path} is a symbolic link, which paysim does not follow here: replace it with the file itself`,
  )
}

/** A file that may not be there. */
export async function removeFile(path: string): Promise<void> {
  try {
    await unlink(path)
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return
    if (await isDirectory(path))
      throw new StartError(`${path} is a directory, but paysim needs a file there: move it away`)
    throw cause
  }
}

const isDirectory = (path: string) =>
  lstat(path).then(
    found => found.isDirectory(),
    () => false,
  )

/** A folder that only its owner can use; created if it does not exist. */
export async function makePrivateFolder(path: string): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch(unless('EEXIST'))
  const found = await foundFolder(path)
  if (found && modeOf(found) !== 0o700) await chmod(path, 0o700)
}

/**
 * Call it before anything in the folder is listed, read, written or removed: anyone who can place a link, or write to
 * the folder, could choose what. Returns whether the folder exists.
 */
export async function demandPrivateFolder(path: string): Promise<boolean> {
  return (await foundFolder(path)) !== undefined
}

async function foundFolder(path: string): Promise<Stats | undefined> {
  const found = await lstat(path).catch(unless('ENOENT'))
  if (!found) return undefined
  if (found.isSymbolicLink())
    throw new StartError(
      `${path} is a symbolic link, which paysim does not follow here: replace it with the directory itself`,
    )
  if (!found.isDirectory())
    throw new StartError(`${path} is not a directory: move it away, and paysim creates the directory`)
  demandOwner(path, found)
  // An empty folder cannot contain files of other users.
  if (isOpenToWriters(found) && (await readdir(path)).length > 0) throw openToWriters(path)
  return found
}

const isOpenToWriters = (found: Stats) => (modeOf(found) & 0o022) !== 0
const openToWriters = (path: string) =>
  new StartError(`${path} can be written by other users: check what is in it, then run: chmod 700 ${path}`)

/**
 * A folder that the user named and that may have other contents: the user chooses its mode, but others must not write
 * to it.
 */
export async function demandSafeFolder(path: string): Promise<void> {
  const found = await stat(path)
  if (!found.isDirectory()) throw new StartError(`the data directory ${path} is not a directory`)
  demandOwner(path, found)
  if (modeOf(found) === 0o700) return
  const entries = await readdir(path)
  // Checks that no other user can have put files into it.
  if (entries.length === 0) return chmod(path, 0o700)
  if (isOpenToWriters(found)) throw openToWriters(path)
  if (entries.includes('accounts')) await chmod(path, 0o700)
}

function demandOwner(path: string, { uid }: Stats): void {
  const us = process.getuid?.()
  if (us !== undefined && uid !== us)
    throw new StartError(
      `${path} belongs to another user (uid ${uid}): change its owner, or use another --data`,
    )
}

/** Windows has no modes, so they are not checked there. */
const modeOf = ({ mode }: Stats) => (process.platform === 'win32' ? 0o600 : mode & 0o777)

export const succeeds = (done: Promise<unknown>): Promise<boolean> =>
  done.then(
    () => true,
    () => false,
  )

/** The system's error code, such as ENOENT. */
export const codeOf = (cause: unknown) => (cause instanceof Error && 'code' in cause ? cause.code : undefined)

/** For what may not be there, or may be there already. */
export const unless = (expected: string) => (cause: unknown) => {
  if (codeOf(cause) !== expected) throw cause
  return undefined
}

/** Copies the bytes of a file from one position to another to the end of another file. */
export async function copyBytes(from: FileHandle, to: FileHandle, start: number, end: number): Promise<void> {
  for (let at = start; at < end; ) {
    const most = Math.min(end - at, 1024 * 1024)
    const { buffer, bytesRead } = await from.read(Buffer.alloc(most), 0, most, at)
    if (bytesRead === 0) break
    await writeAll(to, buffer.subarray(0, bytesRead))
    at += bytesRead
  }
  await to.datasync()
}

/**
 * Replaces a file by one that is written to another name and synced first, so a reader finds either the old or the
 * new one. If anything fails, the old file stays. `take` reads from the new file what its owner needs. It is called
 * before the rename, because after the rename nothing may fail any more.
 */
export async function replaceFile<T>(
  path: string,
  lines: Iterable<string>,
  take: (fresh: FileHandle) => Promise<T>,
): Promise<T> {
  const [draft, before] = [`${path}.new`, `${path}.old`]
  let handle: FileHandle | undefined
  try {
    await removeFile(draft)
    await removeFile(before)
    // A second name for the old file, in case the rename cannot be made safe.
    const undo = await link(path, before).then(
      () => () => rename(before, path),
      cause => (codeOf(cause) === 'ENOENT' ? () => rm(path) : undefined),
    )
    handle = await openPrivate(draft, 'append')
    for (const text of joined(lines)) await writeAll(handle, Buffer.from(text))
    await handle.datasync()
    const taken = await take(handle)
    await rename(draft, path)
    try {
      await syncDirectory(dirname(path))
    } catch (cause) {
      // On a disk without hard links, or if nothing can be renamed any more, the new file stays.
      if (undo && (await succeeds(undo()))) throw cause
    }
    await removeFile(before).catch(() => {})
    return taken
  } catch (cause) {
    await handle?.close()
    for (const name of [draft, before]) await removeFile(name).catch(() => {})
    throw new UnavailableError(basename(path), cause)
  }
}

const WRITTEN_AT_ONCE = 256 * 1024

/** Joins lines into pieces that are large enough for few writes, and small enough to be made quickly. */
function* joined(lines: Iterable<string>): Generator<string> {
  let text = ''
  for (const line of lines) {
    text += line
    if (text.length < WRITTEN_AT_ONCE) continue
    yield text
    text = ''
  }
  if (text !== '') yield text
}

/** A write may write fewer bytes than given. Without a position, it continues where the last one ended. */
export async function writeAll(handle: FileHandle, bytes: Buffer, at?: number): Promise<void> {
  let written = 0
  while (written < bytes.length) {
    const place = at === undefined ? null : at + written
    const { bytesWritten } = await handle.write(bytes, written, bytes.length - written, place)
    written += bytesWritten
  }
}

/** The same for many pieces at once, at the current position. */
export async function writeAllPieces(handle: FileHandle, pieces: readonly Buffer[]): Promise<void> {
  let rest = [...pieces]
  while (rest.length > 0) {
    let { bytesWritten } = await handle.writev(rest)
    const unwritten = rest.findIndex(({ length }) => {
      if (bytesWritten < length) return true
      bytesWritten -= length
      return false
    })
    if (unwritten === -1) return
    rest = rest.slice(unwritten)
    rest[0] = rest[0]?.subarray(bytesWritten) ?? Buffer.alloc(0)
  }
}

/** The rename itself must be synced too. */
export async function syncDirectory(path: string): Promise<void> {
  // Windows cannot sync a directory; there, a rename is the best available.
  if (process.platform === 'win32') return
  const directory = await open(path, 'r')
  try {
    await directory.sync()
  } finally {
    await directory.close()
  }
}
