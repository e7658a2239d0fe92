import type { FileHandle } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { JOURNAL_VERSION } from '../../contract/control/journal.ts'
import type { Entry } from '../../domain/events.ts'
import { openPrivate, replaceFile, syncDirectory, useFile, writeAll } from '../store/private-files.ts'
import { DamagedError, messageOf } from '../store/store-errors.ts'
import type { Standing } from './journal.ts'
import {
  demandSeal,
  isHeader,
  type Line,
  type Numbered,
  openLine,
  readLines,
  sealLine,
  writeLine,
} from './journal-format.ts'
import type { HistoryKept } from './journal-segments.ts'

export interface FileJournalOptions {
  /** Whether an entry is safe only after a sync. */
  readonly sync: boolean
  /** From this size on, `cut` closes the open file as a segment. */
  readonly segmentBytes?: number
  /** Without it, closed segments are kept forever. */
  readonly history?: HistoryKept | undefined
  /** Reads whatever else belongs to this edition of the journal; returns the last entry that it already has. */
  readonly onEdition?: (folder: string) => Promise<number>
  /** Called with each entry after that one, oldest first. If it returns a promise, reading waits for it. */
  readonly onEntry: (entry: Entry) => void | Promise<void>
  /** Called when a write failed: unsafe entries are lost, and the owner must return to the safe ones. */
  readonly onFailure: (cause: unknown) => void
  /** A message for the person at the terminal. */
  readonly warn: (message: string) => void
  /** Awaited before each write. */
  readonly beforeWrite?: (() => Promise<void> | undefined) | undefined
  /** Called at the end, if everything that the account has is safe. */
  readonly onClosed?: ((last: Standing) => Promise<void>) | undefined
  /** The file is as a clean stop left it, and perhaps longer. */
  readonly isSealed?: boolean
  /** Changes nothing, not even what a crash left. */
  readonly readOnly?: boolean | undefined
}

/** The first line of a file that is not the account's first one. */
export interface Header extends Numbered {
  /** The seed of the ids, if it is not the account's first seed. */
  readonly seed?: string
  /** Raised each time another history replaces this one, so that nothing of the old one is taken for the new one. */
  readonly edition?: number
  /** The number of the last entry in the segments before this file. */
  readonly after?: number
}

/** The journal of a new account: its first line says that it is there, so an empty file is always a loss. */
export async function beginJournal(path: string, sync: boolean): Promise<void> {
  const header: Header = { v: JOURNAL_VERSION, seq: 0 }
  const isNew = await useFile(path, 'append', async handle => {
    if ((await handle.stat()).size > 0) return false
    await writeAll(handle, Buffer.from(sealLine(JSON.stringify(header))))
    if (sync) await handle.datasync()
    return true
  })
  if (isNew && sync) await syncDirectory(dirname(path))
}

export async function headerOf(handle: FileHandle): Promise<Header> {
  for await (const line of readLines(handle)) {
    if (!isHeader(line)) break
    // Damage is found, and reported, when the file is replayed.
    try {
      return openLine<Header>(line.text, 0)
    } catch {
      break
    }
  }
  return { v: JOURNAL_VERSION, seq: 0 }
}

/** The folder of everything that belongs to one edition of a journal, apart from its open file. */
export const folderOf = (path: string, { edition = 1 }: Header) => join(dirname(path), `past-${edition}`)

/** The lines are made one by one while they are written. Making all of them at once would block other accounts. */
export function* linesOf(header: Header, entries: readonly Entry[]): Generator<string> {
  yield sealLine(JSON.stringify(header))
  for (const entry of entries) yield writeLine(entry)
}

/** A listener that is called with entries, but not with a header. */
export const entriesOnly =
  <R>(take: (entry: Entry) => R) =>
  (line: Entry | Header) =>
    'events' in line ? take(line) : undefined

/** A start skips the entries that are in a checkpoint, so damage among them is found only here. */
export function whole(where: string, line: Line): Line {
  try {
    demandSeal(line.text)
  } catch (cause) {
    throw new DamagedError(`${where}, line ${line.number} of the journal`, messageOf(cause))
  }
  return line
}

/** How many unused files stay open. Many systems let a process open only 4,096 files. */
const MOST_IDLE = 500

/** The least recently used comes first. */
const idle = new Set<KeptFile>()

/**
 * A file for reading and appending that is used again and again. It is open while somebody uses it; after that it is
 * closed only if many others are open. When it is opened again, it must still be the same file.
 */
export class KeptFile {
  #handle: Promise<FileHandle> | undefined
  #users = 0

  private constructor(
    private readonly path: string,
    private readonly identity: string,
    handle: FileHandle,
  ) {
    this.#handle = Promise.resolve(handle)
  }

  static async open(path: string): Promise<KeptFile> {
    const file = await KeptFile.#of(path, await openPrivate(path, 'append'))
    file.#rest()
    return file
  }

  /** Replaces a file by one with these lines. If that fails, the old one stays. */
  static async replace(path: string, lines: Iterable<string>): Promise<{ file: KeptFile; size: number }> {
    const fresh = await replaceFile(path, lines, async handle => ({
      size: (await handle.stat()).size,
      file: await KeptFile.#of(path, handle),
    }))
    fresh.file.#rest()
    return fresh
  }

  static async #of(path: string, handle: FileHandle): Promise<KeptFile> {
    return new KeptFile(path, await identityOf(handle), handle)
  }

  /** Keeps it open until `release`. */
  async hold(): Promise<FileHandle> {
    idle.delete(this)
    this.#users += 1
    this.#handle ??= this.#openAgain()
    const opening = this.#handle
    try {
      return await opening
    } catch (cause) {
      if (this.#handle === opening) this.#handle = undefined
      this.release()
      throw cause
    }
  }

  release(): void {
    this.#users -= 1
    if (this.#users === 0 && this.#handle) this.#rest()
  }

  async use<T>(work: (handle: FileHandle) => Promise<T>): Promise<T> {
    const handle = await this.hold()
    try {
      return await work(handle)
    } finally {
      this.release()
    }
  }

  #rest(): void {
    idle.add(this)
    const [oldest] = idle
    if (idle.size > MOST_IDLE) oldest?.close().catch(() => {})
  }

  async #openAgain(): Promise<FileHandle> {
    const handle = await openPrivate(this.path, 'present')
    if ((await identityOf(handle)) === this.identity) return handle
    await handle.close()
    throw new DamagedError(this.path, 'another file has taken its place')
  }

  async close(): Promise<void> {
    idle.delete(this)
    const handle = this.#handle
    this.#handle = undefined
    await (await handle)?.close()
  }
}

/** Which file a handle is for. Closes it if the system does not say. */
async function identityOf(handle: FileHandle): Promise<string> {
  try {
    const { dev, ino } = await handle.stat()
    return `${dev}/${ino}`
  } catch (cause) {
    await handle.close()
    throw cause
  }
}
