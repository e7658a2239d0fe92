import { readSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { FROM_THE_BOTTOM, FROM_THE_TOP, type Position, sameFacets } from '../../domain/list-index.ts'
import { openSealed } from '../journal/journal-format.ts'
import { openPrivate, removeFile, useFile } from '../store/private-files.ts'
import { DamagedError, messageOf } from '../store/store-errors.ts'
import { decodeIndex, type FacetRange, firstNotBelow, type KindIndex } from './layer-index.ts'

/** A record as it is stored: one line of JSON with a checksum. */
export interface StoredLine extends Position {
  readonly id: string
  readonly kind: string
  readonly record: unknown
}

export const recordsFile = (path: string) => `${path}.jsonl`
export const indexFile = (path: string) => `${path}.index`

/** Whether the bit of an entry is set. */
export const isSet = (bits: Uint8Array, entry: number) => ((bits[entry >> 3] ?? 0) & (1 << (entry & 7))) !== 0

/** The records of one kind in a layer, and which of them still count. */
export class KindInLayer {
  /** A bit for each entry that another version replaced, or that is gone. */
  superseded: Uint8Array
  readonly #live: number[]
  /** All entries of each range below this one are superseded. */
  readonly #lowest: number[]

  constructor(
    readonly index: KindIndex,
    readonly lines: Pick<RecordLines, 'read'>,
    superseded?: Uint8Array,
  ) {
    this.superseded = superseded ?? new Uint8Array(Math.ceil(index.at.length / 8))
    this.#lowest = index.ranges.map(({ start }) => start)
    this.#live = index.ranges.map(({ start, end }) => {
      let live = end - start
      if (superseded) for (let entry = start; entry < end; entry++) if (!this.counts(entry)) live--
      return live
    })
  }

  counts(entry: number): boolean {
    return !isSet(this.superseded, entry)
  }

  supersede(entry: number): void {
    if (!this.counts(entry)) return
    this.superseded[entry >> 3] = (this.superseded[entry >> 3] ?? 0) | (1 << (entry & 7))
    const range = this.index.ranges.findIndex(({ end }) => entry < end)
    this.#live[range] = (this.#live[range] ?? 0) - 1
  }

  get live(): number {
    return this.#live.reduce((total, live) => total + live, 0)
  }

  positionOf(entry: number): Position {
    return { at: this.index.at[entry] ?? 0, ordinal: this.index.ordinal[entry] ?? 0 }
  }

  facetsOf(entry: number): readonly string[] {
    return this.index.ranges.find(({ end }) => entry < end)?.facets ?? []
  }

  /** The entries whose ids have this hash. */
  hashed(hash: number): readonly number[] {
    const { idHash, idEntry } = this.index
    const entries: number[] = []
    for (let nth = firstNotBelow(idHash, hash); idHash[nth] === hash; nth++) {
      const entry = idEntry[nth] ?? 0
      if (this.counts(entry)) entries.push(entry)
    }
    return entries
  }

  /** The entry with these facets at a position. */
  at(facets: readonly string[], position: Position): number | undefined {
    const range = this.index.ranges.find(each => sameFacets(each.facets, facets))
    if (!range) return undefined
    const entry = this.#firstFrom(range, position)
    const { at, ordinal } = this.index
    return entry < range.end && at[entry] === position.at && ordinal[entry] === position.ordinal
      ? entry
      : undefined
  }

  /** How many entries match, from a position to before another one. */
  count(matches: (facets: readonly string[]) => boolean, from = FROM_THE_BOTTOM, to = FROM_THE_TOP): number {
    const isWhole = from === FROM_THE_BOTTOM && to === FROM_THE_TOP
    let total = 0
    this.index.ranges.forEach((range, nth) => {
      if (!matches(range.facets)) return
      total += isWhole
        ? (this.#live[nth] ?? 0)
        : this.#liveBetween(this.#firstFrom(range, from), this.#firstFrom(range, to))
    })
    return total
  }

  #liveBetween(start: number, end: number): number {
    let live = Math.max(0, end - start)
    for (let entry = start; entry < end; ) {
      // Most bytes have no bit, so eight entries are passed at once.
      if ((entry & 7) === 0 && this.superseded[entry >> 3] === 0) entry += 8
      else if (!this.counts(entry++)) live--
    }
    return live
  }

  /** Newest first, from just below a position, one iterator for each combination of facets. */
  below(position: Position, matches: (facets: readonly string[]) => boolean): Iterator<number>[] {
    return this.index.ranges
      .filter(({ facets }, nth) => (this.#live[nth] ?? 0) > 0 && matches(facets))
      .map(range => this.#down(range, this.#firstFrom(range, position)))
  }

  *#down({ start }: FacetRange, from: number): Generator<number> {
    for (let entry = from - 1; entry >= start; entry--) if (this.counts(entry)) yield entry
  }

  /** Oldest first from a position on, one iterator for each combination of facets. */
  above(from: Position): Iterator<number>[] {
    return this.index.ranges.map((range, nth) =>
      this.#up(Math.max(this.#lowest[nth] ?? range.end, this.#firstFrom(range, from)), range.end),
    )
  }

  *#up(from: number, end: number): Generator<number> {
    for (let entry = from; entry < end; entry++) if (this.counts(entry)) yield entry
  }

  /** The lowest entry. */
  get first(): number | undefined {
    let first: number | undefined
    this.index.ranges.forEach(({ end }, nth) => {
      let lowest = this.#lowest[nth] ?? end
      while (lowest < end && !this.counts(lowest)) lowest++
      this.#lowest[nth] = lowest
      if (lowest < end && (first === undefined || this.#isBelow(lowest, this.positionOf(first))))
        first = lowest
    })
    return first
  }

  /** Newest first, the entries of a word from just below a position. */
  *named(hash: number, position: Position): Generator<number> {
    const { wordHash, wordEntry, at, ordinal } = this.index
    const start = firstNotBelow(wordHash, hash)
    let end = start
    while (wordHash[end] === hash) end++
    const entries = [...wordEntry.subarray(start, end)].sort(
      (a, b) => (at[b] ?? 0) - (at[a] ?? 0) || (ordinal[b] ?? 0) - (ordinal[a] ?? 0),
    )
    for (const entry of entries) if (this.counts(entry) && this.#isBelow(entry, position)) yield entry
  }

  #isBelow(entry: number, { at, ordinal }: Position): boolean {
    const own = this.index.at[entry] ?? 0
    return own < at || (own === at && (this.index.ordinal[entry] ?? 0) < ordinal)
  }

  #firstFrom({ start, end }: FacetRange, position: Position): number {
    let [low, high] = [start, end]
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#isBelow(middle, position)) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** A bit for each entry that no longer counts, by the name of the kind. */
export type EntryBits = ReadonlyMap<string, Uint8Array>

/** What a checkpoint says of a layer. */
export interface LayerName {
  readonly name: string
  readonly bytes: number
  readonly entries: number
}

/**
 * Records that were written together: a file of JSON lines, and its index, which is in memory. It never changes. A record
 * is read, and its checksum compared, when somebody asks for it.
 */
export class Layer {
  private constructor(
    readonly named: LayerName,
    private readonly path: string,
    private readonly records: RecordBytes,
    readonly kinds: ReadonlyMap<string, KindInLayer>,
  ) {}

  /** Throws if a file is missing, has another size, or if the index is damaged. */
  static async open(
    path: string,
    named: LayerName,
    superseded: (kind: string) => Uint8Array | undefined = () => undefined,
    openRecords: OpenRecordBytes = openRecordFile,
  ): Promise<Layer> {
    const index = decodeIndex(await readWhole(indexFile(path)))
    const file = recordsFile(path)
    const records = await openRecords(file)
    if (records.size !== named.bytes) {
      await records.close()
      throw new Error(`${file} has ${records.size} bytes instead of ${named.bytes}`)
    }
    const kinds = new Map(
      [...index].map(([kind, columns]) => {
        return [kind, new KindInLayer(columns, new RecordLines(file, records, columns), superseded(kind))]
      }),
    )
    return new Layer(named, path, records, kinds)
  }

  /** How many records still count. */
  get live(): number {
    let total = 0
    for (const kind of this.kinds.values()) total += kind.live
    return total
  }

  /** Which entries no longer count, kind by kind. */
  get superseded(): EntryBits {
    return new Map([...this.kinds].map(([name, { superseded }]) => [name, superseded.slice()]))
  }

  /** This layer was merged from another one, of which entries were superseded since. Yields after each. */
  *supersedeAsIn(other: Layer, before: EntryBits, after: EntryBits): Generator<void> {
    for (const [name, kind] of other.kinds) {
      const own = this.kinds.get(name)
      const [then, now] = [before.get(name), after.get(name)]
      if (!own || !now) continue
      for (let nth = 0; nth < now.length; nth++)
        for (let rest = (now[nth] ?? 0) & ~(then?.[nth] ?? 0); rest !== 0; rest &= rest - 1) {
          const entry = nth * 8 + Math.log2(rest & -rest)
          const found = own.at(kind.facetsOf(entry), kind.positionOf(entry))
          if (found !== undefined) own.supersede(found)
          yield
        }
    }
  }

  /** For reading all records once. */
  reader(): LineReader {
    return new LineReader(this.records)
  }

  close(): Promise<void> {
    return this.records.close()
  }

  /** Removes its files. It must be closed. */
  async remove(): Promise<void> {
    for (const file of [indexFile(this.path), recordsFile(this.path)]) await removeFile(file)
  }
}

/** The bytes of a file, placed so that columns of numbers can be views of them. */
async function readWhole(path: string): Promise<Buffer> {
  const bytes = await useFile(path, 'read', handle => handle.readFile())
  return bytes.byteOffset % 8 === 0 ? bytes : Buffer.from(new Uint8Array(bytes).buffer)
}

/** The records of one kind in the file of a layer. */
class RecordLines {
  readonly #ahead: ReadAhead

  constructor(
    private readonly path: string,
    records: RecordBytes,
    private readonly index: KindIndex,
  ) {
    this.#ahead = new ReadAhead(records)
  }

  read(entry: number): StoredLine {
    const { offset, length } = this.index
    const bytes = this.#ahead.piece(offset[entry] ?? 0, length[entry] ?? 0)
    try {
      return openSealed<StoredLine>(bytes.toString('utf8'))
    } catch (cause) {
      throw new DamagedError(`${this.path}, at byte ${offset[entry]}, a record`, messageOf(cause))
    }
  }
}

const CHUNK = 256 * 1024

/** Reads lines that are asked for in the order of the file. */
export class LineReader {
  #chunk: Buffer = Buffer.alloc(0)
  #start = 0

  constructor(private readonly records: RecordBytes) {}

  lineAt(offset: number, length: number): Buffer | Promise<Buffer> {
    const from = offset - this.#start
    if (from >= 0 && from + length <= this.#chunk.length) return this.#chunk.subarray(from, from + length)
    return this.#read(offset, length)
  }

  async #read(offset: number, length: number): Promise<Buffer> {
    const chunk = await this.records.read(offset, Math.max(CHUNK, length))
    if (chunk.length < length) throw new Error(`the file of a layer ends at byte ${offset + chunk.length}`)
    this.#chunk = chunk
    this.#start = offset
    return this.#chunk.subarray(0, length)
  }
}

/** A few dozen records. */
const READ_AHEAD_BYTES = 16 * 1024

/**
 * Reads pieces of a file that never changes. Lists and timers ask for them in the order of the file, or against it: then
 * it reads some of what will be asked for next, since a call of the system takes longer than to parse a record.
 */
export class ReadAhead {
  #chunk: Buffer = Buffer.alloc(0)
  #start = 0
  /** Where the last piece began and ended. */
  #last = { start: Number.NaN, end: Number.NaN }

  constructor(private readonly file: Pick<RecordBytes, 'readNow'>) {}

  /** Shorter than asked for if the file ends before. */
  piece(offset: number, length: number): Buffer {
    const end = offset + length
    const isHeld = offset >= this.#start && end <= this.#start + this.#chunk.length
    if (!isHeld && length > READ_AHEAD_BYTES) return this.file.readNow(offset, length)
    if (!isHeld) this.#read(offset, end)
    this.#last = { start: offset, end }
    return this.#chunk.subarray(offset - this.#start, end - this.#start)
  }

  #read(offset: number, end: number): void {
    const { start: lastStart, end: lastEnd } = this.#last
    const isNext = offset >= lastEnd && offset - lastEnd < READ_AHEAD_BYTES
    const isBefore = end <= lastStart && lastStart - end < READ_AHEAD_BYTES
    this.#start = isBefore ? Math.max(0, end - READ_AHEAD_BYTES) : offset
    const length = isNext || isBefore ? READ_AHEAD_BYTES : end - offset
    this.#chunk = this.file.readNow(this.#start, length)
  }
}

/** The lines of a layer's records, which never change. A read past the end returns fewer bytes. */
export interface RecordBytes {
  readonly size: number
  /** Synchronous, because a decision cannot wait: a record takes some tens of microseconds from the system's cache. */
  readNow(offset: number, length: number): Buffer
  /** Reads everything from start to end, while other work continues. */
  read(offset: number, length: number): Promise<Buffer>
  close(): Promise<void>
}

export type OpenRecordBytes = (path: string) => Promise<RecordBytes>

/** In a file: a record is in the system's cache, or takes one read. */
export const openRecordFile: OpenRecordBytes = async path => {
  const handle = await openPrivate(path, 'read')
  try {
    return new RecordFile(handle, (await handle.stat()).size)
  } catch (cause) {
    await handle.close()
    throw cause
  }
}

export class RecordFile implements RecordBytes {
  constructor(
    private readonly handle: FileHandle,
    readonly size: number,
  ) {}

  readNow(offset: number, length: number): Buffer {
    const bytes = Buffer.allocUnsafe(length)
    return bytes.subarray(0, readSync(this.handle.fd, bytes, 0, length, offset))
  }

  async read(offset: number, length: number): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(length)
    const { bytesRead } = await this.handle.read(bytes, 0, length, offset)
    return bytes.subarray(0, bytesRead)
  }

  /** An error is ignored, because the file was only read. */
  async close(): Promise<void> {
    await this.handle.close().catch(() => {})
  }
}
