import { comparePositions, merged, newestFirst, type Position } from '../../domain/list-index.ts'
import type { RepeatedParts } from '../../domain/stored-form.ts'
import { readRecord, subjectIn } from '../../domain/stored-state.ts'
import { type Coming, type Item, type Past, together, type VersionPosition } from '../../domain/table.ts'
import { type RecordKind, type RecordKinds, TABLES, type World } from '../../domain/world.ts'
import { CacheBudget, Recent } from '../store/recent.ts'
import type { KindInLayer, Layer, StoredLine } from './layer.ts'
import { hashOf } from './layer-index.ts'

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
  #coming: Coming
  /** Nobody tries again what could not be fetched: to read it says why. */
  #isLost = false

  constructor(
    readonly kind: KindInLayer,
    readonly entry: number,
    private readonly form: LineForm<T>,
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

  fetch(): Coming {
    if (this.#record !== undefined || this.#isLost) return undefined
    if (this.#line) return this.form.fetchNamed(this.#line)
    if (this.#coming) return this.#coming
    const line = this.kind.lines.fetch(this.entry)
    if (!(line instanceof Promise)) return this.#take(line)
    this.#coming = line.then(read => this.#take(read))
    return this.#coming
  }

  #take(line: StoredLine | undefined): Coming {
    this.#coming = undefined
    this.#isLost = line === undefined
    if (!line || this.#record !== undefined) return undefined
    this.#id = line.id
    this.#line = line
    return this.form.fetchNamed(line)
  }

  get id(): string {
    if (this.#id !== undefined) return this.#id
    this.#line = this.#read()
    return this.#line.id
  }

  get record(): T {
    if (this.#record === undefined) {
      this.#record = this.form.toRecord(this.#line ?? this.#read())
      this.#line = undefined
    }
    return this.#record
  }
}

/** How a record is made of its line. */
interface LineForm<T> {
  toRecord(line: StoredLine): T
  /** Fetches the record that it needs for that. */
  fetchNamed(line: StoredLine): Coming
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

  /** The id that was asked for last, and what may have it. */
  #asked: { readonly id: string; readonly items: readonly StoredItem<RecordKinds[K]>[] } = {
    id: '',
    items: [],
  }

  constructor(private readonly settings: PastSettings<K>) {
    const { layers, kind, arrivals } = settings
    this.lastOrdinal = arrivals
    this.#inLayers = layers.flatMap(layer => layer.kinds.get(kind) ?? []).reverse()
  }

  get size(): number {
    return this.#inLayers.reduce((total, { live }) => total + live, 0)
  }

  find(id: string): StoredItem<RecordKinds[K]> | undefined {
    return this.#itemsOf(id).find(({ kind, entry, id: own }) => kind.counts(entry) && own === id)
  }

  fetch(id: string): Coming {
    let coming: Coming
    for (const item of this.#itemsOf(id)) coming = together(coming, item.fetch())
    return coming
  }

  /** Those whose ids have the hash of this one: mostly one. A record is fetched first, and then found by the same id. */
  #itemsOf(id: string): readonly StoredItem<RecordKinds[K]>[] {
    if (this.#asked.id === id || this.#inLayers.length === 0) return this.#asked.items
    const hash = hashOf(id, this.settings.hashSeed)
    const items = this.#inLayers.flatMap((kind, nth) =>
      kind.hashed(hash).map(entry => this.#item(kind, nth, entry)),
    )
    this.#asked = { id, items }
    return items
  }

  fetchNamed(word: string, position: Position, most: number): Coming {
    const hash = hashOf(word, this.settings.hashSeed)
    let coming: Coming
    this.#inLayers.forEach((kind, nth) => {
      let left = most
      for (const entry of kind.named(hash, position)) {
        if (left-- === 0) return
        coming = together(coming, this.#item(kind, nth, entry).fetch())
      }
    })
    return coming
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
        kind.below(position, matches).map(entries => this.#items(kind, nth, entries)),
      ),
    )
  }

  above() {
    return merged(
      this.#inLayers.flatMap((kind, nth) => kind.above().map(entries => this.#items(kind, nth, entries))),
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
    return this.#recent.get(nth * 2 ** 32 + entry, () => new StoredItem(kind, entry, this.#form))
  }

  readonly #form: LineForm<RecordKinds[K]> = {
    toRecord: ({ record, id, at, ordinal }) => {
      const { kind, parts, world } = this.settings
      return readRecord(kind, record, { id, at, ordinal }, { world: world(), parts })
    },
    fetchNamed: ({ record }) => {
      const subject = subjectIn(this.settings.kind, record)
      return subject && this.settings.world()[subject.kind].fetch(subject.id)
    },
  }
}
