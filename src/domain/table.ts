import {
  comparePositions,
  type Facets,
  FROM_THE_BOTTOM,
  ListIndex,
  type Matches,
  merged,
  newestFirst,
  type Position,
  PositionsByWord,
  sameFacets,
} from './list-index.ts'

/** The records of one kind, found by id and listed in order. */
export interface Records<T> {
  readonly size: number
  get(id: string): T | undefined
  has(id: string): boolean
  /** Oldest first, from a position on. */
  items(from?: Position): Iterable<Item<T>>
  values(): IterableIterator<T>
  [Symbol.iterator](): IterableIterator<[string, T]>
}

/** Records that can also be listed by facets, from any position, newest first. */
export interface ListedRecords<T> extends Records<T> {
  item(id: string): Item<T> | undefined
  below(position: Position, matches: Matches): Iterable<Item<T>>
  /** How many match, from a position to before another one. */
  count(matches: Matches, from?: Position, to?: Position): number
  /** The time of the oldest one. */
  readonly firstAt: number | undefined
}

/** Records that are also found by a text, such as the merchant's reference. */
export interface NamedRecords<T> extends Records<T> {
  named(word: string, position: Position): Iterable<Item<T>>
}

/** A record with its position in the list. */
export interface Item<T> extends Position {
  readonly id: string
  readonly record: T
}

/** As many of the items as are wanted. */
export function firstOf<T>(items: Iterable<T>, most: number): T[] {
  const first: T[] = []
  if (most > 0) for (const item of items) if (first.push(item) >= most) break
  return first
}

/** The records of a table that are not in its memory. One version of each is among them, until it is replaced. */
export interface Stored<T> {
  readonly size: number
  /** The highest ordinal among them. */
  readonly lastOrdinal: number
  find(id: string): Item<T> | undefined
  /** Another version replaces what was found here, or it is gone. */
  replace(found: Item<T>): void
  below(position: Position, matches: Matches): Iterator<Item<T>>
  /** Oldest first, from a position on. */
  above(from: Position): Iterator<Item<T>>
  count(matches: Matches, from?: Position, to?: Position): number
  readonly first: Item<T> | undefined
  named(word: string, position: Position): Iterator<Item<T>>
}

/** What a table needs to know about its records. */
export interface TableShape<T> {
  /** The time that orders them; by default, the order in which they were added. */
  readonly at?: (record: T) => number
  /** The order of records with the same time; by default, the order in which they were added. */
  readonly ordinal?: (record: T) => number
  /** The values to filter a list by. Without them there is no list. */
  readonly facets?: (record: T) => Facets
  readonly word?: (record: T) => string
  /** Whether a record changes again soon. */
  readonly changesSoon?: (record: T) => boolean
}

/** Records of one kind: those that changed are in memory, and the others where they were stored. */
export class Table<T> implements ListedRecords<T>, NamedRecords<T> {
  #size: number
  #arrivals: number
  #changed: Versions<T>
  #since = Number.NEGATIVE_INFINITY
  /** What was looked up last: a command reads and changes the same record several times. */
  #lastFound: Item<T> | undefined
  /** The lowest one, if it is known: every request asks for the next timer, but few change it. */
  #first: { readonly item: Item<T> | undefined } | undefined

  constructor(
    private readonly shape: TableShape<T>,
    private stored?: Stored<T>,
  ) {
    this.#changed = new Versions(shape)
    this.#size = stored?.size ?? 0
    this.#arrivals = stored?.lastOrdinal ?? 0
  }

  get size(): number {
    return this.#size
  }

  /** How many records ever arrived. */
  get arrivals(): number {
    return this.#arrivals
  }

  /** Records from before this time were removed. */
  get since(): number {
    return this.#since
  }

  get(id: string): T | undefined {
    return this.item(id)?.record
  }

  has(id: string): boolean {
    return this.item(id) !== undefined
  }

  /** Whether the record was added since the changes were last taken. */
  isNew(id: string): boolean {
    return this.#changed.get(id)?.isNew === true
  }

  item(id: string): Item<T> | undefined {
    const found = this.#found(id)
    return found && found.at >= this.#since ? found : undefined
  }

  #found(id: string): Item<T> | undefined {
    if (this.#lastFound?.id !== id) this.#lastFound = this.#changed.get(id) ?? this.stored?.find(id)
    return this.#lastFound
  }

  /** A record with a new id. */
  add(id: string, record: T): void {
    this.#size += 1
    this.#put(id, record, ++this.#arrivals, true)
  }

  /** Another version of a record. */
  set(id: string, record: T): void {
    const version = this.#changed.get(id)
    if (version) return this.#changed.change(version, record)
    const before = this.#found(id)
    if (!before) return this.add(id, record)
    this.stored?.replace(before)
    this.#first = undefined
    this.#put(id, record, before.ordinal, false)
  }

  #put(id: string, record: T, arrival: number, isNew: boolean): void {
    const version = this.#changed.put(id, record, arrival, isNew)
    this.#lastFound = version
    const lowest = this.#first?.item
    if (this.#first && (!lowest || comparePositions(version, lowest) < 0)) this.#first = { item: version }
  }

  /**
   * If the caller knows that no version was stored, none is looked for, which takes a look into each layer.
   */
  delete(id: string, wasNeverStored = false): void {
    const version = this.#changed.get(id)
    const gone = version ?? (wasNeverStored ? undefined : this.#found(id))
    if (!gone) return
    if (version) this.#changed.remove(version)
    else this.stored?.replace(gone)
    this.#lastFound = undefined
    const lowest = this.#first?.item
    if (lowest && comparePositions(gone, lowest) === 0) this.#first = undefined
    this.#size -= 1
  }

  /** Removes the records from before this time. */
  deleteBefore(at: number): void {
    this.#since = Math.max(this.#since, at)
    this.#lastFound = undefined
    this.#first = undefined
    for (const version of this.#changed.all()) {
      if (version.at >= at) return
      this.#changed.remove(version)
      this.#size -= 1
    }
  }

  *values(): IterableIterator<T> {
    for (const { record } of this.items()) yield record
  }

  *[Symbol.iterator](): IterableIterator<[string, T]> {
    for (const { id, record } of this.items()) yield [id, record]
  }

  *items(from = FROM_THE_BOTTOM): Generator<Item<T>> {
    const sources = [this.#changed.above(from), ...(this.stored ? [this.stored.above(from)] : [])]
    for (const item of merged(sources, (a, b) => comparePositions(b, a)))
      if (item.at >= this.#since) yield item
  }

  below(position: Position, matches: Matches): Generator<Item<T>> {
    return newestFirst([
      this.#changed.list.below(position, matches),
      ...(this.stored ? [this.stored.below(position, matches)] : []),
    ])
  }

  count(matches: Matches, from?: Position, to?: Position): number {
    return this.#changed.list.count(matches, from, to) + (this.stored?.count(matches, from, to) ?? 0)
  }

  named(word: string, position: Position): Generator<Item<T>> {
    return newestFirst([
      this.#changed.words.below(position, word),
      ...(this.stored ? [this.stored.named(word, position)] : []),
    ])
  }

  get firstAt(): number | undefined {
    return this.first?.at
  }

  /** The record that is lowest in the list. */
  get first(): Item<T> | undefined {
    this.#first ??= { item: lower(this.#changed.list.first, this.stored?.first) }
    return this.#first.item
  }

  /** Gives away what changed: from now on, it is found among what is stored. */
  moveTo(stored: Stored<T>): Versions<T> {
    const changed = this.#changed
    changed.listAll()
    this.#changed = new Versions(this.shape)
    this.stored = stored
    this.lookAgain()
    return changed
  }

  /** What is stored is read from another place. */
  lookAgain(): void {
    this.#lastFound = undefined
    this.#first = undefined
  }
}

/** The lower of two positions. */
export function lower<P extends Position>(one: P | undefined, other: P | undefined): P | undefined {
  return one && other ? (comparePositions(other, one) < 0 ? other : one) : (one ?? other)
}

/** A record in memory. The list contains this same object. */
export interface Version<T> extends Item<T> {
  record: T
  /** The facets under which it is listed, which may be those before its latest change. */
  facets: Facets
  listed: boolean
  /** No version of it is anywhere else. */
  readonly isNew: boolean
}

const NO_FACETS: Facets = []

/** How many records may wait to be listed. To list so many takes about a millisecond. */
const MOST_UNLISTED = 1024

/** Records in memory, found by id, by word and in the order of their list. */
export class Versions<T> {
  readonly #byId = new Map<string, Version<T>>()
  #words: PositionsByWord<Version<T>> | undefined
  #list: ListIndex<Version<T>> | undefined
  #unlisted: Version<T>[] = []

  constructor(private readonly shape: TableShape<T>) {}

  get(id: string): Version<T> | undefined {
    return this.#byId.get(id)
  }

  /** In the order in which they were put here. */
  all(): IterableIterator<Version<T>> {
    return this.#byId.values()
  }

  put(id: string, record: T, arrival: number, isNew: boolean): Version<T> {
    const { at, ordinal, word } = this.shape
    const version: Version<T> = {
      id,
      at: at?.(record) ?? 0,
      ordinal: ordinal?.(record) ?? arrival,
      facets: NO_FACETS,
      listed: false,
      isNew,
      record,
    }
    this.#byId.set(id, version)
    this.#listLater(version)
    if (word) this.words.add(word(record), version)
    return version
  }

  change(version: Version<T>, record: T): void {
    version.record = record
    if (!version.listed) return
    const facets = this.shape.facets?.(record) ?? NO_FACETS
    if (sameFacets(version.facets, facets)) return
    this.#unlist(version)
    this.#listLater(version)
  }

  remove(version: Version<T>): void {
    this.hide(version)
    this.#byId.delete(version.id)
  }

  /** It is no longer found by its word, nor in the list. */
  hide(version: Version<T>): void {
    const { word } = this.shape
    this.#unlist(version)
    if (word) this.words.remove(word(version.record), version)
  }

  /** A record often changes again at once, so it is listed only when somebody reads the list, or when many wait. */
  #listLater(version: Version<T>): void {
    if (!this.shape.facets) return
    this.#unlisted.push(version)
    if (this.#unlisted.length >= MOST_UNLISTED) this.listAll()
  }

  listAll(): void {
    const { facets } = this.shape
    if (!facets || this.#unlisted.length === 0) return
    for (const version of this.#unlisted) {
      if (version.listed || this.#byId.get(version.id) !== version) continue
      version.facets = this.#listed.add(version, facets(version.record))
      version.listed = true
    }
    this.#unlisted = []
  }

  /** Made when it is first needed: most tables of most accounts are empty. */
  get #listed(): ListIndex<Version<T>> {
    this.#list ??= new ListIndex()
    return this.#list
  }

  get words(): PositionsByWord<Version<T>> {
    this.#words ??= new PositionsByWord()
    return this.#words
  }

  #unlist(version: Version<T>): void {
    if (version.listed) this.#listed.remove(version, version.facets)
    version.listed = false
  }

  get list(): ListIndex<Version<T>> {
    this.listAll()
    return this.#listed
  }

  /** Oldest first, from a position on. Without facets there is no list, and they are sorted. */
  above(from: Position): Iterator<Version<T>> {
    if (this.shape.facets) return this.list.above(from)
    const some = [...this.all()].filter(version => comparePositions(version, from) >= 0)
    return some.sort(comparePositions).values()
  }
}
