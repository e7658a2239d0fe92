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

/** Where a version of a record is in the list. */
export interface VersionPosition extends Position {
  readonly facets: Facets
}

/** Records that are not in memory, but can be read when they are needed. */
export interface Past<T> {
  readonly size: number
  /** The highest ordinal among them. */
  readonly lastOrdinal: number
  find(id: string): Item<T> | undefined
  /** Marks a version that was found here as replaced. */
  supersede(found: Item<T>): void
  /** The same, for a version whose position is known. */
  supersedeAt(position: VersionPosition): void
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
  /** Whether a record stays in memory when it was stored, because it changes soon. */
  readonly stays?: (record: T) => boolean
}

/** The changes of a table to write: changed records, and null for removed ones. */
export type Written<T> = ReadonlyMap<string, (Item<T> & { readonly facets: Facets }) | null>

/**
 * Records of one kind. Recent changes are in memory; everything else may be stored elsewhere. A stored record that
 * changes is in memory again, and its stored version is replaced.
 */
export class Table<T> implements ListedRecords<T>, NamedRecords<T> {
  #size: number
  #arrivals: number
  #latest: Changes<T>
  /** The changes that are being written. */
  #writing: Changes<T> | undefined
  /** Stored records that stayed in memory. Most accounts have none, and a Map takes 200 bytes. */
  #resident: Map<string, Version<T>> | undefined
  /** What changed again while it is being written. */
  #outdated: VersionPosition[] = []
  #since = Number.NEGATIVE_INFINITY
  /** What was looked up last: a command reads and changes the same record several times. */
  #lastFound: Item<T> | undefined

  constructor(
    private readonly shape: TableShape<T>,
    private past?: Past<T>,
  ) {
    this.#latest = new Changes(shape.facets)
    this.#size = past?.size ?? 0
    this.#arrivals = past?.lastOrdinal ?? 0
  }

  get size(): number {
    return this.#size
  }

  /** Where the records that are not in memory are read. */
  get stored(): Past<T> | undefined {
    return this.past
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
    return this.#latest.versions.get(id)?.isNew === true
  }

  item(id: string): Item<T> | undefined {
    let found = this.#lastFound
    if (found?.id !== id) {
      const version = this.#latest.versions.get(id)
      found = version === undefined ? this.#earlier(id) : (version ?? undefined)
      this.#lastFound = found
    }
    return found && found.at >= this.#since ? found : undefined
  }

  /** The version before the latest changes. */
  #earlier(id: string): Item<T> | undefined {
    const writing = this.#writing?.versions.get(id)
    const here = writing === undefined ? this.#resident?.get(id) : writing
    return here === undefined ? this.past?.find(id) : (here ?? undefined)
  }

  /** The same, if the latest changes have none: it may be what was found last. */
  #unchanged(id: string): Item<T> | undefined {
    return this.#lastFound?.id === id ? this.#lastFound : this.#earlier(id)
  }

  /** A record with a new id. */
  add(id: string, record: T): void {
    this.#size += 1
    const known = this.#latest.versions.size
    const version = this.#put(id, record, ++this.#arrivals)
    // A removed record may still be stored.
    version.isNew = this.#latest.versions.size > known
  }

  /** Another version of a record. */
  set(id: string, record: T): void {
    const version = this.#latest.versions.get(id)
    if (version) return this.#change(version, record)
    const before = this.#unchanged(id)
    if (!before || version === null) return this.add(id, record)
    this.#forget(before)
    this.#put(id, record, before.ordinal)
  }

  #put(id: string, record: T, arrival: number): Version<T> {
    const { at, ordinal, word } = this.shape
    const version: Version<T> = {
      id,
      at: at?.(record) ?? 0,
      ordinal: ordinal?.(record) ?? arrival,
      facets: NO_FACETS,
      listed: false,
      isNew: false,
      record,
    }
    this.#latest.versions.set(id, version)
    this.#lastFound = version
    this.#latest.listLater(version)
    if (word) this.#latest.words.add(word(record), version)
    return version
  }

  #change(version: Version<T>, record: T): void {
    version.record = record
    if (!version.listed) return
    const facets = this.shape.facets?.(record) ?? NO_FACETS
    if (sameFacets(version.facets, facets)) return
    this.#latest.unlist(version)
    this.#latest.listLater(version)
  }

  /**
   * If the caller knows that no version was stored, none is looked for, which takes a look into each layer. Returns what is
   * gone.
   */
  delete(id: string, wasNeverStored = false): Item<T> | undefined {
    const version = this.#latest.versions.get(id)
    if (version === null || (!version && wasNeverStored)) return undefined
    const before = version ? (version.isNew ? undefined : this.#earlier(id)) : this.#unchanged(id)
    this.#lastFound = undefined
    if (version) {
      this.#unlist(this.#latest, version)
      this.#latest.versions.delete(id)
    }
    if (!version && !before) return undefined
    this.#size -= 1
    if (before) {
      if (!version) this.#forget(before)
      this.#latest.versions.set(id, null)
    }
    return version ?? before
  }

  /** Marks the version before the latest changes as replaced. */
  #forget(before: Item<T>): void {
    if (!isInMemory(before)) this.past?.supersede(before)
    else if (this.#resident?.delete(before.id)) this.past?.supersedeAt(before)
    else if (this.#writing) {
      this.#unlist(this.#writing, before)
      this.#outdated.push(before)
    }
  }

  #unlist(changes: Changes<T>, version: Version<T>): void {
    const { word } = this.shape
    changes.unlist(version)
    if (word) changes.words.remove(word(version.record), version)
  }

  /** Removes the records from before this time. */
  deleteBefore(at: number): void {
    this.#since = Math.max(this.#since, at)
    this.#lastFound = undefined
    for (const [id, version] of this.#latest.versions) {
      if (version && version.at >= at) return
      if (version && !this.#earlier(id)) {
        this.#latest.versions.delete(id)
        this.#size -= 1
      }
    }
  }

  *values(): IterableIterator<T> {
    for (const { record } of this.items()) yield record
  }

  *[Symbol.iterator](): IterableIterator<[string, T]> {
    for (const { id, record } of this.items()) yield [id, record]
  }

  *items(from = FROM_THE_BOTTOM): Generator<Item<T>> {
    const sources: Iterator<Item<T>>[] = this.shape.facets
      ? [this.#latest.list.above(from), ...(this.#writing ? [this.#writing.list.above(from)] : [])]
      : [[...this.#inMemory(from)].sort(comparePositions).values()]
    if (this.past) sources.push(this.past.above(from))
    for (const item of merged(sources, (a, b) => comparePositions(b, a)))
      if (item.at >= this.#since) yield item
  }

  *#inMemory(from: Position): Generator<Version<T>> {
    const latest = this.#latest.versions
    for (const [id, version] of this.#writing?.versions ?? [])
      if (version && !latest.has(id) && comparePositions(version, from) >= 0) yield version
    for (const version of latest.values()) if (version && comparePositions(version, from) >= 0) yield version
  }

  below(position: Position, matches: Matches): Generator<Item<T>> {
    return newestFirst([
      this.#latest.list.below(position, matches),
      ...(this.#writing ? [this.#writing.list.below(position, matches)] : []),
      ...(this.past ? [this.past.below(position, matches)] : []),
    ])
  }

  count(matches: Matches, from?: Position, to?: Position): number {
    const { past } = this
    return (
      this.#latest.list.count(matches, from, to) +
      (this.#writing?.list.count(matches, from, to) ?? 0) +
      (past?.count(matches, from, to) ?? 0)
    )
  }

  named(word: string, position: Position): Generator<Item<T>> {
    return newestFirst([
      this.#latest.words.below(position, word),
      ...(this.#writing ? [this.#writing.words.below(position, word)] : []),
      ...(this.past ? [this.past.named(word, position)] : []),
    ])
  }

  get firstAt(): number | undefined {
    return this.first?.at
  }

  /** The record that is lowest in the list. */
  get first(): Item<T> | undefined {
    let first: Item<T> | undefined
    for (const item of [this.#latest.list.first, this.#writing?.list.first, this.past?.first])
      if (item && (!first || comparePositions(item, first) < 0)) first = item
    // A timer that fires is removed next.
    if (first && isInMemory(first)) this.#lastFound = first
    return first
  }

  /** The changes since the last call. They stay in memory until `release`. */
  takeChanges(): Written<T> {
    if (this.#writing) throw new Error('the last changes are still being written')
    this.#latest.listAll()
    this.#writing = this.#latest
    this.#latest = new Changes(this.shape.facets)
    return this.#writing.versions
  }

  /** What changed again since the changes were taken, and since the last call. */
  takeOutdated(): readonly VersionPosition[] {
    const outdated = this.#outdated
    this.#outdated = []
    return outdated
  }

  /** The changes that were taken are now stored. */
  release(past: Past<T>): void {
    for (const position of this.takeOutdated()) past.supersedeAt(position)
    const { stays } = this.shape
    if (stays)
      for (const [id, version] of this.#writing?.versions ?? [])
        if (version && stays(version.record) && !this.#latest.versions.has(id)) {
          this.#resident ??= new Map()
          this.#resident.set(id, version)
        }
    this.#writing = undefined
    this.readFrom(past)
  }

  /** The same stored records are now read from another place. */
  readFrom(past: Past<T>): void {
    this.past = past
    this.#lastFound = undefined
  }
}

/** A record in memory. The list contains this same object. */
interface Version<T> extends Item<T> {
  readonly at: number
  record: T
  /** The facets under which it is listed, which may be those before its latest change. */
  facets: Facets
  listed: boolean
  /** No version of it is anywhere else. */
  isNew: boolean
}

const isInMemory = <T>(item: Item<T>): item is Version<T> => 'listed' in item

const NO_FACETS: Facets = []

/** How many records may wait to be listed. To list so many takes about a millisecond. */
const MOST_UNLISTED = 1024

/** The changes of a table since some moment. */
class Changes<T> {
  readonly versions = new Map<string, Version<T> | null>()
  #words: PositionsByWord<Version<T>> | undefined
  #list: ListIndex<Version<T>> | undefined
  #unlisted: Version<T>[] = []

  constructor(private readonly facets: ((record: T) => Facets) | undefined) {}

  /** A record often changes again at once, so it is listed only when somebody reads the list, or when many wait. */
  listLater(version: Version<T>): void {
    if (!this.facets) return
    this.#unlisted.push(version)
    if (this.#unlisted.length >= MOST_UNLISTED) this.listAll()
  }

  listAll(): void {
    const { facets } = this
    if (!facets || this.#unlisted.length === 0) return
    for (const version of this.#unlisted) {
      if (version.listed || this.versions.get(version.id) !== version) continue
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

  unlist(version: Version<T>): void {
    if (version.listed) this.#listed.remove(version, version.facets)
    version.listed = false
  }

  get list(): ListIndex<Version<T>> {
    this.listAll()
    return this.#listed
  }
}
