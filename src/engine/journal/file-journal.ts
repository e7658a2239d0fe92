import { type FileHandle, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { JOURNAL_VERSION } from '../../contract/control/journal.ts'
import { type Entry, recordsOf } from '../../domain/events.ts'
import { drawnAnew } from '../account/ids.ts'
import { SafePoint } from '../account/recovery.ts'
import { succeeds, useFile, writeAll } from '../store/private-files.ts'
import { LossError, UnavailableError } from '../store/store-errors.ts'
import type { Journal, Standing } from './journal.ts'
import {
  entriesOnly,
  type FileJournalOptions,
  folderOf,
  type Header,
  headerOf,
  KeptFile,
  linesOf,
  whole,
} from './journal-file.ts'
import { isHeader, type Line, readLine, readLines, writeLine } from './journal-format.ts'
import {
  entriesMissing,
  HistoryIndex,
  missing,
  openSegment,
  type Segment,
  Segments,
} from './journal-segments.ts'
import { replay } from './replay.ts'

/**
 * One line for each entry. While a batch is written and synced, new entries are collected for the next one, so many
 * requests share one fdatasync. The latest entries are in one file; those before it are in segments.
 */
export class FileJournal implements Journal {
  #batch: string[] = []
  readonly #safe = new SafePoint()
  #flushing: Promise<void> | undefined
  #replacing = false
  /** The callers that wait for a cut. */
  #cutting: (() => void) | undefined
  readonly #readers = new Readers()
  #end = 0
  /** The seed of the ids, if it is not that of the header. */
  #seed: string | undefined
  /** Of each file whose entries somebody asked for, by the number of its first entry. */
  #indexes = new Map<number, HistoryIndex>()

  private constructor(
    private readonly path: string,
    private file: KeptFile,
    private readonly options: FileJournalOptions,
    private header: Header,
    private segments: Segments,
  ) {}

  /** Replays the entries. An incomplete last line is moved aside; damage in another line stops the start. */
  static async open(path: string, options: FileJournalOptions): Promise<FileJournal> {
    const file = await KeptFile.open(path)
    try {
      const header = await file.use(headerOf)
      const segments = await Segments.open(folderOf(path, header), header.after ?? 0)
      const journal = new FileJournal(path, file, options, header, segments)
      const known = (await options.onEdition?.(folderOf(path, header))) ?? 0
      await journal.#replay(known, options.onEntry)
      await segments.takeBackUnfinished(path, journal.#safe.seq, options.readOnly)
      for (const { from, to } of segments.gaps)
        options.warn(
          `${journal.folder}: the entries ${from} to ${to} of the history are missing, and only a checkpoint has what they made: no export and no complete history can be read. Restore the folder from a backup`,
        )
      return journal
    } catch (cause) {
      await file.close()
      throw cause
    }
  }

  get seed(): string | undefined {
    return this.#seed ?? this.header.seed
  }

  /** The seed that its ids had when it was closed. */
  goOnWith(seed: string): void {
    this.#seed = seed
  }

  /** Other ids from now on, because entries may have been lost whose ids were given. */
  drawAnew(first: string, draw: string): void {
    this.#seed = drawnAnew(this.header.seed ?? first, draw)
  }

  /** Its files, by their names in the account's folder. */
  get files(): readonly string[] {
    return [basename(this.path), ...this.segments.names.map(name => join(basename(this.folder), name))]
  }

  /** Of everything that belongs to this edition of the journal, apart from its open file. */
  get folder(): string {
    return folderOf(this.path, this.header)
  }

  /** Reads the entries after a number, as far as the file is safe. */
  async #replay(
    known: number,
    onEntry: FileJournalOptions['onEntry'],
    end = Number.POSITIVE_INFINITY,
  ): Promise<void> {
    const { warn, isSealed = false, readOnly } = this.options
    const reading = { known, onEntry: entriesOnly(onEntry), warn, isSealed, readOnly }
    const after = this.header.after ?? 0
    // Before anything is read, so that a start without them changes nothing.
    for (const { path, from, to } of this.segments.demandWhole(known, after)) {
      const segment = { ...reading, after: from - 1, closed: true }
      const { seq } = await useFile(path, 'read', handle => replay<Entry | Header>(path, handle, segment))
      if (seq !== to) throw entriesMissing(this.folder, seq + 1, to)
    }
    const start = await this.file.use(handle =>
      replay<Entry | Header>(this.path, handle, { ...reading, after, end }),
    )
    this.#safe.seq = start.seq
    this.#end = start.end
    if (start.seq < known)
      throw new LossError(
        this.path,
        `it ends at entry ${start.seq}, but the checkpoint in ${this.folder} has the entries up to ${known}`,
      )
  }

  get failure(): unknown {
    return this.#safe.cause
  }

  append(entry: Entry): number {
    const line = writeLine(entry)
    this.#batch.push(line)
    if (!this.#flushing && !this.#safe.stopped && !this.#replacing) this.#flushing = this.#flush()
    return line.length
  }

  durable(seq: number): Promise<void> | undefined {
    return this.#safe.durable(seq)
  }

  async #flush(): Promise<void> {
    // All entries of this turn of the event loop go into one batch.
    await new Promise(setImmediate)
    try {
      while (this.#batch.length > 0 || this.#cutting) {
        await this.#safe.needed()
        await this.options.beforeWrite?.()
        if (this.#cutting) await this.#cut().finally(this.#onCut)
        if (this.#batch.length === 0) continue
        const lines = this.#batch.splice(0)
        const bytes = Buffer.from(lines.join(''))
        await this.file.use(async handle => {
          await writeAll(handle, bytes)
          if (this.options.sync) await handle.datasync()
        })
        this.#end += bytes.length
        this.#safe.reached(this.#safe.seq + lines.length)
      }
    } catch (cause) {
      await this.#fail(cause)
    } finally {
      this.#flushing = undefined
    }
  }

  /** Takes back what may have been written before anybody learns that nothing was changed. */
  async #fail(cause: unknown): Promise<void> {
    this.#safe.stopped = true
    // Even on a full disk, a file can be shortened.
    const isUndone = await succeeds(this.#shorten())
    this.#batch = []
    this.#onCut()
    this.#safe.failed(new UnavailableError('The journal', cause, !isUndone))
    this.options.onFailure(cause)
  }

  /** Only reads: a disk on which a file cannot even be shortened may still be readable. */
  rollBack(onEntry: (entry: Entry) => void, known = 0): Promise<void> {
    return this.#replay(known, onEntry, this.#end)
  }

  /** Only a real write shows whether the disk works again. Also removes what a failed write has left. */
  async tryAgain(): Promise<void> {
    try {
      await this.file.use(async handle => {
        await writeAll(handle, Buffer.alloc(64 * 1024, 0x20))
        await handle.datasync()
      })
    } finally {
      await this.#shorten()
    }
    this.#safe.stopped = false
  }

  /** Shortens the file to its safe entries. */
  #shorten(): Promise<void> {
    return this.file.use(handle => handle.truncate(this.#end))
  }

  /** The first call looks through all lines, later ones only where the record may be named. */
  async history(id: string): Promise<Entry[]> {
    await this.#settled()
    const end = this.#readers.begin()
    const [segments, file, size, after = 0] = [
      this.segments.connected(),
      this.file,
      this.#end,
      this.header.after,
    ]
    const indexes = this.#indexes
    for (const from of indexes.keys()) if (from < this.keptFrom) indexes.delete(from)
    const entries: Entry[] = []
    const read = async (handle: FileHandle, { from, to, path, where, bytes }: Part) => {
      const index = indexes.get(from) ?? new HistoryIndex()
      indexes.set(from, index)
      const count = await index.extend(handle, bytes, line => void whole(where, line))
      if (from + count <= to) throw missing(path, from + count, to)
      for await (const line of index.naming(handle, id)) {
        const entry = readLine(whole(where, line).text)
        if (entry.events.some(event => recordsOf(event).includes(id))) entries.push(entry)
      }
    }
    try {
      // Before anything else is awaited, because a new file may take its name.
      const open = await file.hold()
      try {
        for (const segment of segments) {
          const handle = await openSegment(segment)
          try {
            const { size: bytes } = await handle.stat()
            await read(handle, { ...segment, where: this.folder, bytes })
          } finally {
            await handle.close()
          }
        }
        await read(open, { from: after + 1, to: after, path: this.path, where: this.path, bytes: size })
        return entries
      } finally {
        file.release()
      }
    } finally {
      end()
    }
  }

  async *lines(): AsyncIterable<string> {
    for await (const { text } of this.#lines()) yield `${text}\n`
  }

  /** The number of the oldest entry that is kept. */
  get keptFrom(): number {
    return this.segments.first
  }

  /** Removes old segments, if a checkpoint has their entries. */
  async trim(covered: number): Promise<void> {
    const { history } = this.options
    if (history) await this.segments.removeOld(history, covered, () => this.#readers.done())
  }

  /** A reader continues with what was there when it began, even when a cut or another history replaces it. */
  async *#lines(): AsyncGenerator<Line> {
    await this.#settled()
    const end = this.#readers.begin()
    const [segments, file, size] = [this.segments.lines(), this.file, this.#end]
    try {
      const handle = await file.hold()
      try {
        for await (const line of segments) if (!isHeader(line)) yield whole(this.folder, line)
        for await (const line of readLines(handle, size)) if (!isHeader(line)) yield whole(this.path, line)
      } finally {
        file.release()
      }
    } finally {
      end()
    }
  }

  get isLarge(): boolean {
    return this.#end >= (this.options.segmentBytes ?? 0)
  }

  /** Closes the open file as a segment when it is large, and starts a new one. */
  cut(): Promise<void> {
    return new Promise(resolve => {
      if (this.#safe.stopped || this.#replacing) return resolve()
      this.#cutting = resolve
      this.#flushing ??= this.#flush()
    })
  }

  readonly #onCut = () => {
    this.#cutting?.()
    this.#cutting = undefined
  }

  async #cut(): Promise<void> {
    const { after = 0 } = this.header
    if (!this.isLarge) return
    let undo: (() => Promise<void>) | undefined
    try {
      undo = await this.segments.add(this.path, after + 1, this.#safe.seq)
      await this.#startFile({ ...this.header, after: this.#safe.seq }, [])
    } catch {
      // The file stays as it is, and grows until a cut succeeds.
      await undo?.().catch(() => {})
    }
  }

  /** Puts a new file in the place of the open one. If that fails, the old one stays. */
  async #startFile(header: Header, entries: readonly Entry[]): Promise<void> {
    const before = this.file
    // It could not be opened again later for its readers, because the new file has its name.
    await before.hold()
    try {
      const { file, size } = await KeptFile.replace(this.path, linesOf(header, entries))
      this.file = file
      this.header = header
      this.#end = size
    } finally {
      before.release()
    }
    void this.#readers.removeAfter(() => before.close())
  }

  /**
   * The new journal is complete on disk before it is renamed to replace the old one. If that fails, the old one
   * stays.
   */
  async replace(entries: readonly Entry[], seed: string): Promise<void> {
    // From now on entries are collected, and written to the file that is in place at the end.
    this.#replacing = true
    try {
      await this.#settled()
      await this.options.beforeWrite?.()
      const before = this.folder
      const header = { v: JOURNAL_VERSION, seq: 0, seed, edition: (this.header.edition ?? 1) + 1 } as const
      const segments = await Segments.open(folderOf(this.path, header), 0)
      await this.#startFile(header, entries)
      this.segments = segments
      this.#seed = undefined
      this.#indexes = new Map()
      this.#safe.seq = entries.at(-1)?.seq ?? 0
      void this.#readers.removeAfter(() => rm(before, { recursive: true, force: true }))
    } catch (cause) {
      throw cause instanceof UnavailableError ? cause : new UnavailableError('The journal', cause)
    } finally {
      this.#replacing = false
      if (this.#batch.length > 0) this.#flushing = this.#flush()
    }
  }

  async close(last?: Standing): Promise<void> {
    await this.#settled()
    await this.file.close()
    if (last && !this.#safe.stopped && this.#safe.seq === last.seq) await this.options.onClosed?.(last)
  }

  async #settled(): Promise<void> {
    while (this.#flushing) await this.#flushing
  }
}

/** A file of the journal, and how much of it is read. */
interface Part extends Segment {
  /** As messages name it. */
  readonly where: string
  readonly bytes: number
}

/** Counts readers. What was replaced while they read is removed when they are done. */
class Readers {
  readonly #reading = new Set<Promise<unknown>>()

  /** Counts a reader until the returned function is called. */
  begin(): () => void {
    let end = () => {}
    const reader = new Promise<void>(resolve => {
      end = resolve
    })
    this.#reading.add(reader)
    return () => {
      this.#reading.delete(reader)
      end()
    }
  }

  /** Resolves when all current readers are done. */
  async done(): Promise<void> {
    await Promise.all(this.#reading)
  }

  /** Removes what only those readers still need. */
  async removeAfter(remove: () => Promise<void>): Promise<void> {
    await this.done()
    await remove().catch(() => {})
  }
}
