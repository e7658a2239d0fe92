import { comparePositions, ListIndex, newestFirst, type Position, PositionsByWord } from './list-index.ts'
import type { Facets, Item, Matches, Past, VersionPosition } from './past.ts'

/** The records of one kind, found by id and listed in order. */
export interface Records<T> {
  readonly size: number
  get(id: string): T | undefined
  has(id: string): boolean
  /** Oldest first. */
  values(): IterableIterator<T>
  [Symbol.iterator](): IterableIterator<[string, T]>
}

/** Records that can also be listed by facets, from any position, newest first. */
export interface ListedRecords<T> extends Records<T> {
  below(position: Position, matches: Matches): Iterable<Item<T>>
  count(matches: Matches): number
}

/** Records that are also found by a text, such as the merchant's reference. */
export interface NamedRecords<T> extends Records<T> {
  named(word: string, position: Position): Iterable<Item<T>>
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
  #leaving: Changes<T> | undefined
  /** Stored records that stayed in memory. */
  readonly #stayed = new Map<string, Held<T>>()
  /** What changed again while it is being written. */
  #outdated: VersionPosition[] = []
  #since = Number.NEGATIVE_INFINITY

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

  /** How many records ever arrived. */
  get arrivals(): number {
    return this.#arrivals
  }

  /** Records from before this time were removed. */
  get since(): number {
    return this.#since
  }

  get(id: string): T | undefined {
    return this.#find(id)?.record
  }

  has(id: string): boolean {
    return this.#find(id) !== undefined
  }

  /** Whether the record was added since the changes were last taken. */
  isNew(id: string): boolean {
    return this.#latest.held.get(id)?.isNew === true
  }

  #find(id: string): Item<T> | undefined {
    const held = this.#latest.held.get(id)
    const found = held === undefined ? this.#earlier(id) : held
    return found && found.at >= this.#since ? found : undefined
  }

  /** The version before the latest changes. */
  #earlier(id: string): Item<T> | undefined {
    const leaving = this.#leaving?.held.get(id)
    return leaving === undefined ? (this.#stayed.get(id) ?? this.past?.find(id)) : (leaving ?? undefined)
  }

  /** A record with a new id. */
  add(id: string, record: T): void {
    this.#size += 1
    // A removed record may still be stored.
    this.#hold(id, record, ++this.#arrivals, !this.#latest.held.has(id))
  }

  /** Another version of a record. */
  set(id: string, record: T): void {
    const held = this.#latest.held.get(id)
    if (held) return this.#change(held, record)
    const before = this.#earlier(id)
    if (!before || held === null) return this.add(id, record)
    this.#forget(before)
    this.#hold(id, record, before.ordinal, false)
  }

  #hold(id: string, record: T, arrival: number, isNew: boolean): void {
    const { at, ordinal, word } = this.shape
    const held: Held<T> = {
      id,
      at: at?.(record) ?? 0,
      ordinal: ordinal?.(record) ?? arrival,
      facets: NO_FACETS,
      listed: false,
      isNew,
      record,
    }
    this.#latest.held.set(id, held)
    this.#latest.listLater(held)
    if (word) this.#latest.words.add(word(record), held)
  }

  #change(held: Held<T>, record: T): void {
    held.record = record
    if (!held.listed) return
    const facets = this.shape.facets?.(record) ?? NO_FACETS
    if (held.facets.every((facet, nth) => facet === facets[nth])) return
    this.#latest.unlist(held)
    this.#latest.listLater(held)
  }

  /** If the caller knows that no version was stored, none is looked for, which takes a look into each layer. */
  delete(id: string, wasNeverStored = false): void {
    const held = this.#latest.held.get(id)
    if (held === null || (!held && wasNeverStored)) return
    if (held) {
      this.#unlist(this.#latest, held)
      this.#latest.held.delete(id)
    }
    const before = held?.isNew ? undefined : this.#earlier(id)
    if (!held && !before) return
    this.#size -= 1
    if (!before) return
    if (!held) this.#forget(before)
    this.#latest.held.set(id, null)
  }

  /** Marks the version before the latest changes as replaced. */
  #forget(before: Item<T>): void {
    const leaving = this.#leaving?.held.get(before.id)
    const stayed = this.#stayed.get(before.id)
    if (this.#leaving && leaving) {
      this.#unlist(this.#leaving, leaving)
      this.#outdated.push(leaving)
    } else if (stayed) {
      this.#stayed.delete(before.id)
      this.past?.supersedeAt(stayed)
    } else this.past?.supersede(before)
  }

  #unlist(changes: Changes<T>, held: Held<T>): void {
    const { word } = this.shape
    changes.unlist(held)
    if (word) changes.words.remove(word(held.record), held)
  }

  /** Removes the records from before this time. */
  deleteBefore(at: number): void {
    this.#since = Math.max(this.#since, at)
    for (const [id, held] of this.#latest.held) {
      if (held && held.at >= at) return
      if (held && !this.#earlier(id)) {
        this.#latest.held.delete(id)
        this.#size -= 1
      }
    }
  }

  *values(): IterableIterator<T> {
    for (const { record } of this.#ascending()) yield record
  }

  *[Symbol.iterator](): IterableIterator<[string, T]> {
    for (const { id, record } of this.#ascending()) yield [id, record]
  }

  *#ascending(): Generator<Item<T>> {
    const inMemory = [...this.#inMemory()].sort(comparePositions)
    let next = 0
    const past = this.past?.above()
    for (let item = past?.next(); item && !item.done; item = past?.next()) {
      for (let held = inMemory[next]; held && comparePositions(held, item.value) < 0; held = inMemory[++next])
        yield held
      if (item.value.at >= this.#since) yield item.value
    }
    yield* inMemory.slice(next)
  }

  *#inMemory(): Generator<Held<T>> {
    const latest = this.#latest.held
    for (const [id, held] of this.#leaving?.held ?? [])
      if (held && !latest.has(id) && held.at >= this.#since) yield held
    for (const held of latest.values()) if (held && held.at >= this.#since) yield held
  }

  below(position: Position, matches: Matches): Generator<Item<T>> {
    return newestFirst([
      this.#latest.list.below(position, matches),
      ...(this.#leaving ? [this.#leaving.list.below(position, matches)] : []),
      ...(this.past ? [this.past.below(position, matches)] : []),
    ])
  }

  count(matches: Matches): number {
    const { past } = this
    return (
      this.#latest.list.count(matches) +
      (this.#leaving?.list.count(matches) ?? 0) +
      (past?.count(matches) ?? 0)
    )
  }

  named(word: string, position: Position): Generator<Item<T>> {
    return newestFirst([
      this.#latest.words.below(position, word),
      ...(this.#leaving ? [this.#leaving.words.below(position, word)] : []),
      ...(this.past ? [this.past.named(word, position)] : []),
    ])
  }

  /** The record that is lowest in the list. */
  get first(): T | undefined {
    let first: Item<T> | undefined
    for (const item of [this.#latest.list.first, this.#leaving?.list.first, this.past?.first])
      if (item && (!first || comparePositions(item, first) < 0)) first = item
    return first?.record
  }

  /** The changes since the last call. They stay in memory until `release`. */
  takeChanges(): Written<T> {
    if (this.#leaving) throw new Error('the last changes are still being written')
    this.#latest.listAll()
    this.#leaving = this.#latest
    this.#latest = new Changes(this.shape.facets)
    return this.#leaving.held
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
      for (const [id, held] of this.#leaving?.held ?? [])
        if (held && stays(held.record) && !this.#latest.held.has(id)) this.#stayed.set(id, held)
    this.#leaving = undefined
    this.past = past
  }

  /** The same stored records are now read from another place. */
  readFrom(past: Past<T>): void {
    this.past = past
  }
}

/** A record in memory. The list contains this same object. */
interface Held<T> extends Item<T> {
  readonly at: number
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

/** The changes of a table since some moment. */
class Changes<T> {
  readonly held = new Map<string, Held<T> | null>()
  #words: PositionsByWord<Held<T>> | undefined
  #list: ListIndex<Held<T>> | undefined
  #unlisted: Held<T>[] = []

  constructor(private readonly facets: ((record: T) => Facets) | undefined) {}

  /** A record often changes again at once, so it is listed only when somebody reads the list, or when many wait. */
  listLater(held: Held<T>): void {
    if (!this.facets) return
    this.#unlisted.push(held)
    if (this.#unlisted.length >= MOST_UNLISTED) this.listAll()
  }

  listAll(): void {
    const { facets } = this
    if (!facets || this.#unlisted.length === 0) return
    for (const held of this.#unlisted) {
      if (held.listed || this.held.get(held.id) !== held) continue
      held.facets = facets(held.record)
      held.listed = true
      this.#listed.add(held, held.facets)
    }
    this.#unlisted = []
  }

  /** Made when it is first needed: most tables of most accounts are empty. */
  get #listed(): ListIndex<Held<T>> {
    this.#list ??= new ListIndex()
    return this.#list
  }

  get words(): PositionsByWord<Held<T>> {
    this.#words ??= new PositionsByWord()
    return this.#words
  }

  unlist(held: Held<T>): void {
    if (held.listed) this.#listed.remove(held, held.facets)
    held.listed = false
  }

  get list(): ListIndex<Held<T>> {
    this.listAll()
    return this.#listed
  }
}
