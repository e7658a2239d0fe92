import {
  comparePositions,
  FROM_THE_BOTTOM,
  merged,
  newestFirst,
  type Position,
} from '../../domain/list-index.ts'
import type { RepeatedParts } from '../../domain/stored-form.ts'
import { readRecord } from '../../domain/stored-state.ts'
import type { Item, Past, VersionPosition } from '../../domain/table.ts'
import { type RecordKind, type RecordKinds, TABLES, type World } from '../../domain/world.ts'
import { CacheBudget, Recent } from '../store/recent.ts'
import { UnavailableError } from '../store/store-errors.ts'
import { Slice } from '../time/scheduling.ts'
import type { KindInLayer, Layer, StoredLine } from './layer.ts'
import { hashOf } from './layer-index.ts'

/** The limit for records that were read from disk, for all accounts together. */
export const READ_BYTES = new CacheBudget(128 * 1024 * 1024)
/** How many of them stay in memory, for each kind of an account. */
const RECORDS_KEPT = 65_536
/** A record takes several times the bytes of its line. */
const OBJECT_TO_LINE = 3

/** A record is not in memory. It is thrown before anything has changed, so that the work can begin again when it was read. */
export class NotInMemoryError extends Error {
  constructor(private readonly item: Pick<StoredItem<unknown>, 'read' | 'isInMemory'>) {
    super('a record is not in memory')
    this.name = 'NotInMemoryError'
  }

  /** False if its layer was closed: then the record is in another one, or the account is closed. */
  async read(): Promise<boolean> {
    await this.item.read()
    return this.item.isInMemory
  }
}

/**
 * Does work that reads records and changes nothing before it has all of them. If one is not in memory, it is read, and the
 * work begins again; that happens rarely, so work does not have to say beforehand what it needs.
 */
export function withRecords<T>(work: () => T, wasClosed = false): T | Promise<Awaited<T>> {
  const again = async (cause: unknown): Promise<Awaited<T>> => {
    if (!(cause instanceof NotInMemoryError)) throw cause
    const isRead = await cause.read()
    if (!isRead && wasClosed) throw new UnavailableError('The account', cause)
    return withRecords(work, !isRead) as Promise<Awaited<T>>
  }
  try {
    const done = work()
    return done instanceof Promise ? done.catch(again) : done
  } catch (cause) {
    return again(cause)
  }
}

/** Reads those that are not in memory. They are read together, because a caller that has many would begin again as often. */
export async function readAll(items: readonly Item<unknown>[]): Promise<void> {
  const missing = new Map<KindInLayer, StoredItem<unknown>[]>()
  for (const item of items) {
    if (!(item instanceof StoredItem) || item.isInMemory) continue
    const ofKind = missing.get(item.kind)
    if (ofKind) ofKind.push(item)
    else missing.set(item.kind, [item])
  }
  const readKind = async ([kind, ofKind]: [KindInLayer, StoredItem<unknown>[]]) => {
    const lines = await kind.readLines(ofKind.map(({ entry }) => entry))
    for (const item of ofKind) item.take(lines.get(item.entry))
  }
  await Promise.all([...missing].map(readKind))
}

/** Views of records that may show others, which are read if they are not in memory. */
export async function viewAll<R, Row>(records: readonly R[], view: (record: R) => Row): Promise<Row[]> {
  const rows: Row[] = []
  for (const record of records) {
    const row = withRecords(() => view(record))
    rows.push(row instanceof Promise ? await row : row)
  }
  return rows
}

/** How many records are read together. */
const PIECE = 256

/**
 * The records of a list in pieces that are in memory; others are served in between. Each piece is looked up where the last one
 * ended, because a checkpoint may have moved the records.
 */
export async function* piecesOf<T>(
  after: (last: Position | undefined) => Iterable<Item<T>>,
  most = Number.POSITIVE_INFINITY,
): AsyncGenerator<readonly Item<T>[]> {
  const slice = new Slice()
  let last: Position | undefined
  for (let rest = most; rest > 0; ) {
    const piece: Item<T>[] = []
    for (const item of after(last)) if (piece.push(item) >= Math.min(PIECE, rest)) break
    await readAll(piece)
    yield piece
    if (piece.length < Math.min(PIECE, rest)) return
    rest -= piece.length
    last = piece.at(-1)
    if (slice.isOver) await slice.next()
  }
}

/** The records in the order of the oldest first, for `piecesOf`. */
export const oldestFirst =
  <T>(records: { above(position: Position): Iterable<Item<T>> }) =>
  (last: Position | undefined) =>
    records.above(last ? { at: last.at, ordinal: last.ordinal + 1 } : FROM_THE_BOTTOM)

/** An entry of a layer. Its record is read when somebody asks for it. */
class StoredItem<T> implements Item<T> {
  /** Until its record is made of it. */
  #line: StoredLine | undefined
  #id: string | undefined
  #record: T | undefined

  constructor(
    readonly kind: KindInLayer,
    readonly entry: number,
    private readonly toRecord: (line: StoredLine) => T,
  ) {}

  get at(): number {
    return this.kind.index.at[this.entry] ?? 0
  }

  get ordinal(): number {
    return this.kind.index.ordinal[this.entry] ?? 0
  }

  get isInMemory(): boolean {
    return this.#line !== undefined || this.#record !== undefined
  }

  async read(): Promise<void> {
    if (!this.isInMemory) this.take(await this.kind.readLine(this.entry))
  }

  take(line: StoredLine | undefined): void {
    if (!this.isInMemory) this.#line = line
  }

  #demandLine(): StoredLine {
    this.#line ??= this.kind.lineInMemory(this.entry)
    if (!this.#line) throw new NotInMemoryError(this)
    return this.#line
  }

  get id(): string {
    this.#id ??= this.#demandLine().id
    return this.#id
  }

  get record(): T {
    if (this.#record === undefined) {
      const line = this.#demandLine()
      this.#record = this.toRecord(line)
      this.#id = line.id
      this.#line = undefined
    }
    return this.#record
  }
}

interface PastSettings<K extends RecordKind> {
  readonly kind: K
  /** The oldest first. */
  readonly layers: readonly Layer[]
  readonly hashSeed: number
  readonly parts: RepeatedParts
  /** How many records of this kind ever arrived. */
  readonly arrivals: number
  /** The world of the records; some name others. */
  readonly world: () => World
}

/** The records of one kind that are stored, over all layers. A record that still counts is in one of them. */
export class PastTable<K extends RecordKind> implements Past<RecordKinds[K]> {
  readonly lastOrdinal: number
  /** The newest first. */
  readonly #inLayers: readonly KindInLayer[]
  readonly #recent = new Recent<number, StoredItem<RecordKinds[K]>>({
    most: RECORDS_KEPT,
    budget: READ_BYTES,
    sizeOf: ({ kind, entry }) => OBJECT_TO_LINE * (kind.index.length[entry] ?? 0),
  })

  constructor(private readonly settings: PastSettings<K>) {
    const { layers, kind, arrivals } = settings
    this.lastOrdinal = arrivals
    this.#inLayers = layers.flatMap(layer => layer.kinds.get(kind) ?? []).reverse()
  }

  get size(): number {
    return this.#inLayers.reduce((total, { live }) => total + live, 0)
  }

  find(id: string): StoredItem<RecordKinds[K]> | undefined {
    if (this.#inLayers.length === 0) return undefined
    const hash = hashOf(id, this.settings.hashSeed)
    for (let nth = 0; nth < this.#inLayers.length; nth++)
      for (const entry of this.#inLayers[nth]?.hashed(hash) ?? []) {
        const item = this.#item(nth, entry)
        if (item?.id === id) return item
      }
    return undefined
  }

  supersede({ kind, entry }: StoredItem<RecordKinds[K]>): void {
    kind.supersede(entry)
  }

  supersedeAt({ facets, ...position }: VersionPosition): void {
    for (const kind of this.#inLayers) {
      const entry = kind.at(facets, position)
      if (entry !== undefined && kind.counts(entry)) return kind.supersede(entry)
    }
  }

  below(position: Position, matches: (facets: readonly string[]) => boolean) {
    return newestFirst(
      this.#inLayers.flatMap((kind, nth) =>
        kind.below(position, matches).map(entries => this.#items(nth, entries)),
      ),
    )
  }

  above(position: Position) {
    return merged(
      this.#inLayers.flatMap((kind, nth) => kind.above(position).map(entries => this.#items(nth, entries))),
      (a, b) => comparePositions(b, a),
    )
  }

  named(word: string, position: Position) {
    const hash = hashOf(word, this.settings.hashSeed)
    return newestFirst(this.#inLayers.map((kind, nth) => this.#items(nth, kind.named(hash, position), word)))
  }

  count(matches: (facets: readonly string[]) => boolean, from?: Position, to?: Position): number {
    return this.#inLayers.reduce((total, kind) => total + kind.count(matches, from, to), 0)
  }

  get first(): StoredItem<RecordKinds[K]> | undefined {
    let first: StoredItem<RecordKinds[K]> | undefined
    for (let nth = 0; nth < this.#inLayers.length; nth++) {
      const entry = this.#inLayers[nth]?.first
      const item = entry === undefined ? undefined : this.#item(nth, entry)
      if (item && (!first || comparePositions(item, first) < 0)) first = item
    }
    return first
  }

  *#items(nth: number, entries: Iterator<number>, word?: string): Generator<StoredItem<RecordKinds[K]>> {
    for (let next = entries.next(); !next.done; next = entries.next()) {
      const item = this.#item(nth, next.value)
      // Another word may have the same hash.
      if (item && (word === undefined || TABLES[this.settings.kind].word?.(item.record) === word)) yield item
    }
  }

  #item(nth: number, entry: number): StoredItem<RecordKinds[K]> | undefined {
    const kind = this.#inLayers[nth]
    if (!kind) return undefined
    return this.#recent.get(nth * 2 ** 32 + entry, () => new StoredItem(kind, entry, this.#toRecord))
  }

  readonly #toRecord = ({ record, id, at, ordinal }: StoredLine) =>
    readRecord(
      this.settings.kind,
      record,
      { id, at, ordinal },
      {
        world: this.settings.world(),
        parts: this.settings.parts,
      },
    )
}
