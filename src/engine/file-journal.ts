import type { FileHandle } from 'node:fs/promises'
import type { Entry } from '../domain/events.ts'
import { JOURNAL_VERSION } from '../domain/journal-version.ts'
import { HistoryIndex } from './history-index.ts'
import type { Journal } from './journal.ts'
import { isHeader, lineToday, type Numbered, readLine, sealLine, writeLine } from './journal-format.ts'
import { openPrivate, replaceFile, writeAll } from './private-files.ts'
import { readLines } from './read-lines.ts'
import { replay } from './replay.ts'
import { UnavailableError } from './unavailable.ts'

/** The first line of a journal that replaced another one. */
interface Header extends Numbered {
  readonly seed: string
}

interface Spot {
  readonly offset: number
  readonly length: number
}

interface Waiter {
  readonly seq: number
  readonly resolve: () => void
  readonly reject: (cause: unknown) => void
}

export interface FileJournalOptions {
  /** Whether an entry is safe only after a sync. */
  readonly sync: boolean
  readonly onEntry: (entry: Entry) => void
  /** Called when a write failed: unsafe entries are lost, and the owner must return to the safe ones. */
  readonly onFailure: (cause: unknown) => void
  readonly onTorn: (message: string) => void
}

/**
 * One file with one line for each entry. While a batch is written and synced, new entries are collected for the next
 * one, so many requests share one fdatasync.
 */
export class FileJournal implements Journal {
  #batch: string[] = []
  #batchSeq = 0
  #safeSeq: number
  #waiters: Waiter[] = []
  #flushing: Promise<void> | undefined
  #failed = false
  #index: HistoryIndex<Spot> | undefined
  #indexing: Promise<HistoryIndex<Spot>> | undefined
  #unread: { line: string; spot: Spot }[] | undefined
  #replacing = false
  readonly #readers = new Set<Promise<unknown>>()
  #end: number

  private constructor(
    private readonly path: string,
    private handle: FileHandle,
    private readonly options: FileJournalOptions,
    start: { seq: number; end: number },
  ) {
    this.#safeSeq = start.seq
    this.#batchSeq = start.seq
    this.#end = start.end
  }

  /** The seed of the ids in these entries, if it is not the account's first seed. */
  seed: string | undefined

  /** Replays the file. An incomplete last line is removed; damage in another line stops the start. */
  static async open(path: string, options: FileJournalOptions): Promise<FileJournal> {
    const handle = await openPrivate(path, 'append')
    try {
      let seed: string | undefined
      const onHeader = (header: Header) => {
        seed = header.seed
      }
      const start = await readJournal(path, handle, { ...options, onHeader })
      const journal = new FileJournal(path, handle, options, start)
      journal.seed = seed
      return journal
    } catch (cause) {
      await handle.close()
      throw cause
    }
  }

  append(entry: Entry): void {
    this.#batch.push(writeLine(entry))
    this.#batchSeq = entry.seq
    if (!this.#flushing && !this.#failed && !this.#replacing) this.#flushing = this.#flush()
  }

  durable(seq: number): Promise<void> | undefined {
    if (seq <= this.#safeSeq) return undefined
    if (this.#failed) return Promise.reject(new UnavailableError('The journal', undefined))
    return new Promise((resolve, reject) => this.#waiters.push({ seq, resolve, reject }))
  }

  async #flush(): Promise<void> {
    // All entries of this turn of the event loop go into one batch.
    await new Promise(setImmediate)
    try {
      while (this.#batch.length > 0) {
        const [lines, seq] = [this.#batch, this.#batchSeq]
        this.#batch = []
        const bytes = Buffer.from(lines.join(''))
        await writeAll(this.handle, bytes)
        if (this.options.sync) await this.handle.datasync()
        this.#noteSpots(lines)
        this.#end += bytes.length
        this.#safeSeq = seq
        this.#release(seq)
      }
    } catch (cause) {
      this.#fail(cause)
    } finally {
      this.#flushing = undefined
    }
  }

  #release(seq: number): void {
    const ready = this.#waiters
    this.#waiters = ready.filter(waiter => waiter.seq > seq)
    for (const waiter of ready) if (waiter.seq <= seq) waiter.resolve()
  }

  #fail(cause: unknown): void {
    this.#failed = true
    this.#batch = []
    const lost = this.#waiters
    this.#waiters = []
    for (const waiter of lost) waiter.reject(new UnavailableError('The journal', cause))
    this.options.onFailure(cause)
  }

  async rollBack(onEntry: (entry: Entry) => void): Promise<void> {
    // Even on a full disk, a file can be shortened.
    await this.handle.truncate(this.#end)
    const start = await readJournal(this.path, this.handle, { ...this.options, onEntry })
    this.#safeSeq = start.seq
    this.#batchSeq = start.seq
  }

  /** Only a real write shows whether the disk works again. */
  async tryAgain(): Promise<void> {
    try {
      await writeAll(this.handle, Buffer.alloc(64 * 1024, 0x20))
      await this.handle.datasync()
    } finally {
      await this.handle.truncate(this.#end)
    }
    this.#failed = false
  }

  #noteSpots(lines: readonly string[]): void {
    if (!this.#index && !this.#unread) return
    let offset = this.#end
    for (const line of lines) {
      const length = Buffer.byteLength(line)
      const spot = { offset, length: length - 1 }
      if (this.#index) this.#index.note(readLine(line), spot)
      else this.#unread?.push({ line, spot })
      offset += length
    }
  }

  /** Reads the journal once. Later entries wait, so that the history stays in order. */
  async #buildIndex(): Promise<HistoryIndex<Spot>> {
    const index = new HistoryIndex<Spot>()
    const unread: { line: string; spot: Spot }[] = []
    this.#unread = unread
    for await (const line of readLines(this.handle, this.#end))
      if (!isHeader(line)) index.note(readLine(line.text), line)
    for (const { line, spot } of unread) index.note(readLine(line), spot)
    this.#unread = undefined
    this.#index = index
    return index
  }

  history(id: string): Promise<Entry[]> {
    return this.#reading(async () => {
      const { handle } = this
      this.#indexing ??= this.#buildIndex()
      const index = await this.#indexing
      const entries: Entry[] = []
      for (const { offset, length } of index.of(id)) {
        const { buffer } = await handle.read(Buffer.alloc(length), 0, length, offset)
        entries.push(readLine(buffer.toString()))
      }
      return entries
    })
  }

  async *lines(): AsyncIterable<string> {
    await this.#settled()
    for await (const line of readLines(this.handle, this.#end))
      if (!isHeader(line)) yield lineToday(line.text)
  }

  /** A reader continues with its own file, even when another one replaces it. */
  async #reading<T>(read: () => Promise<T>): Promise<T> {
    await this.#settled()
    const reader = read()
    const done = reader.catch(() => {})
    this.#readers.add(done)
    return reader.finally(() => this.#readers.delete(done))
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
      const header: Header = { v: JOURNAL_VERSION, seq: 0, seed }
      const fresh = await replaceFile(this.path, [
        sealLine(JSON.stringify(header)),
        ...entries.map(writeLine),
      ])
      const before = this.handle
      this.handle = fresh
      const readers = [...this.#readers]
      void Promise.all(readers).then(() => before.close())
      this.seed = seed
      this.#end = (await fresh.stat()).size
      this.#safeSeq = entries.at(-1)?.seq ?? 0
      this.#index = undefined
      this.#indexing = undefined
      if (this.#batch.length === 0) this.#batchSeq = this.#safeSeq
    } finally {
      this.#replacing = false
      if (this.#batch.length > 0) this.#flushing = this.#flush()
    }
  }

  async close(): Promise<void> {
    await this.#settled()
    await this.handle.close()
  }

  async #settled(): Promise<void> {
    while (this.#flushing) await this.#flushing
  }
}

interface Readers extends Pick<FileJournalOptions, 'onEntry' | 'onTorn'> {
  readonly onHeader?: (header: Header) => void
}

function readJournal(path: string, handle: FileHandle, { onEntry, onTorn, onHeader }: Readers) {
  return replay<Entry | Header>(path, handle, {
    onTorn,
    onEntry: line => {
      if ('seed' in line) onHeader?.(line)
      else onEntry(line)
    },
  })
}
