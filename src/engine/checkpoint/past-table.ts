import { comparePositions, merged, newestFirst, type Position } from '../../domain/list-index.ts'
import type { RepeatedParts } from '../../domain/stored-form.ts'
import { readRecord } from '../../domain/stored-state.ts'
import type { Item } from '../../domain/table.ts'
import { type RecordKind, type RecordKinds, TABLES, type World } from '../../domain/world.ts'
import { CacheBudget, Recent } from '../store/recent.ts'
import type { KindInLayer, Layer, StoredLine } from './layer.ts'
import { hashOf } from './layer-index.ts'
import type { Past, VersionPosition } from './stored-table.ts'

/** The limit for records that were read from disk, for all accounts together. */
export const READ_BYTES = new CacheBudget(128 * 1024 * 1024)
/** How many of them stay in memory, for each kind of an account. */
const RECORDS_KEPT = 65_536
/** A record takes several times the bytes of its line. */
const OBJECT_TO_LINE = 3

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

  #read(): StoredLine {
    const line = this.kind.lines.read(this.entry)
    this.#id = line.id
    return line
  }

  get id(): string {
    if (this.#id !== undefined) return this.#id
    this.#line = this.#read()
    return this.#line.id
  }

  get record(): T {
    if (this.#record === undefined) {
      this.#record = this.toRecord(this.#line ?? this.#read())
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
    for (const [nth, kind] of this.#inLayers.entries())
      for (const entry of kind.hashed(hash)) {
        const item = this.#item(kind, nth, entry)
        // Another id may have the same hash.
        if (item.id === id) return item
      }
    return undefined
  }

  replace({ kind, entry }: StoredItem<RecordKinds[K]>): void {
    kind.supersede(entry)
  }

  replaceAt({ facets, ...position }: VersionPosition): void {
    for (const kind of this.#inLayers) {
      const entry = kind.at(facets, position)
      if (entry !== undefined && kind.counts(entry)) return kind.supersede(entry)
    }
  }

  below(position: Position, matches: (facets: readonly string[]) => boolean) {
    return newestFirst(
      this.#inLayers.flatMap((kind, nth) =>
        kind.below(position, matches).map(entries => this.#items(kind, nth, entries)),
      ),
    )
  }

  above(from: Position) {
    return merged(
      this.#inLayers.flatMap((kind, nth) => kind.above(from).map(entries => this.#items(kind, nth, entries))),
      (a, b) => comparePositions(b, a),
    )
  }

  named(word: string, position: Position) {
    const hash = hashOf(word, this.settings.hashSeed)
    return newestFirst(
      this.#inLayers.map((kind, nth) => this.#items(kind, nth, kind.named(hash, position), word)),
    )
  }

  count(matches: (facets: readonly string[]) => boolean, from?: Position, to?: Position): number {
    return this.#inLayers.reduce((total, kind) => total + kind.count(matches, from, to), 0)
  }

  get first(): StoredItem<RecordKinds[K]> | undefined {
    let first: StoredItem<RecordKinds[K]> | undefined
    this.#inLayers.forEach((kind, nth) => {
      const entry = kind.first
      const item = entry === undefined ? undefined : this.#item(kind, nth, entry)
      if (item && (!first || comparePositions(item, first) < 0)) first = item
    })
    return first
  }

  *#items(
    kind: KindInLayer,
    nth: number,
    entries: Iterator<number>,
    word?: string,
  ): Generator<StoredItem<RecordKinds[K]>> {
    for (let next = entries.next(); !next.done; next = entries.next()) {
      const item = this.#item(kind, nth, next.value)
      // Another word may have the same hash.
      if (word === undefined || TABLES[this.settings.kind].word?.(item.record) === word) yield item
    }
  }

  #item(kind: KindInLayer, nth: number, entry: number): StoredItem<RecordKinds[K]> {
    return this.#recent.get(nth * 2 ** 32 + entry, () => new StoredItem(kind, entry, this.#toRecord))
  }

  readonly #toRecord = ({ record, id, at, ordinal }: StoredLine): RecordKinds[K] => {
    const { kind, parts, world } = this.settings
    return readRecord(kind, record, { id, at, ordinal }, { world: world(), parts })
  }
}
