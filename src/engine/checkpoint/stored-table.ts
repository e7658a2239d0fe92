import {
  comparePositions,
  type Facets,
  type Matches,
  merged,
  newestFirst,
  type Position,
} from '../../domain/list-index.ts'
import {
  type Item,
  lower,
  type Stored,
  type Table,
  type TableShape,
  type Version,
  type Versions,
} from '../../domain/table.ts'

/** Where a version of a record is in the list. */
export interface VersionPosition extends Position {
  readonly facets: Facets
}

/** The records in the layers of a checkpoint. */
export interface Past<T> extends Stored<T> {
  /** Another version replaces the one at this position. */
  replaceAt(position: VersionPosition): void
}

/** The records of a table that are not among its latest changes: in layers, or on their way into one. */
export class StoredTable<T> implements Stored<T> {
  /** What is being written. */
  #writing: Versions<T> | undefined
  /** What of it was replaced meanwhile. It is written all the same. */
  readonly #replaced = new Set<string>()
  /** The positions of those that `takeOutdated` has not told yet. */
  #outdated: VersionPosition[] = []
  /** Records that stay in memory, because they change again soon. Most accounts have none, and a Map takes 200 bytes. */
  #resident: Map<string, Version<T>> | undefined

  constructor(
    private readonly shape: TableShape<T>,
    private past: Past<T>,
  ) {}

  get size(): number {
    return this.past.size
  }

  get lastOrdinal(): number {
    return this.past.lastOrdinal
  }

  find(id: string): Item<T> | undefined {
    const writing = this.#writing?.get(id)
    if (writing && !this.#replaced.has(id)) return writing
    return this.#resident?.get(id) ?? this.past.find(id)
  }

  replace(found: Item<T>): void {
    const { id } = found
    const writing = this.#writing?.get(id)
    if (writing && writing === found) {
      this.#writing?.hide(writing)
      this.#replaced.add(id)
      this.#outdated.push(writing)
      return
    }
    const resident = this.#resident?.get(id)
    if (!resident) return this.past.replace(found)
    this.#resident?.delete(id)
    this.past.replaceAt(resident)
  }

  below(position: Position, matches: Matches): Iterator<Item<T>> {
    const past = this.past.below(position, matches)
    return this.#writing ? newestFirst<Item<T>>([this.#writing.list.below(position, matches), past]) : past
  }

  above(from: Position): Iterator<Item<T>> {
    const past = this.past.above(from)
    if (!this.#writing) return past
    return merged<Item<T>>([this.#left(from), past], (a, b) => comparePositions(b, a))
  }

  *#left(from: Position): Generator<Version<T>> {
    const writing = this.#writing?.above(from)
    for (let next = writing?.next(); next && !next.done; next = writing?.next())
      if (!this.#replaced.has(next.value.id)) yield next.value
  }

  count(matches: Matches, from?: Position, to?: Position): number {
    return (this.#writing?.list.count(matches, from, to) ?? 0) + this.past.count(matches, from, to)
  }

  get first(): Item<T> | undefined {
    return lower<Item<T>>(this.#writing?.list.first, this.past.first)
  }

  named(word: string, position: Position): Iterator<Item<T>> {
    const past = this.past.named(word, position)
    return this.#writing ? newestFirst<Item<T>>([this.#writing.words.below(position, word), past]) : past
  }

  /** Takes the changes of a table, to write them. They stay in memory until `release`. */
  take(table: Table<T>): Versions<T> {
    if (this.#writing) throw new Error('the last changes are still being written')
    this.#writing = table.moveTo(this)
    return this.#writing
  }

  /** What was replaced since the changes were taken, and since the last call. */
  takeOutdated(): readonly VersionPosition[] {
    const outdated = this.#outdated
    this.#outdated = []
    return outdated
  }

  /** The changes that were taken are now in layers. */
  release(past: Past<T>): void {
    for (const position of this.takeOutdated()) past.replaceAt(position)
    const { changesSoon } = this.shape
    if (changesSoon)
      for (const version of this.#writing?.all() ?? [])
        if (changesSoon(version.record) && !this.#replaced.has(version.id)) {
          this.#resident ??= new Map()
          this.#resident.set(version.id, version)
        }
    this.#writing = undefined
    this.#replaced.clear()
    this.readFrom(past)
  }

  /** The same records are now read from other layers. */
  readFrom(past: Past<T>): void {
    this.past = past
  }
}
