import type { Position } from './list-index.ts'

export type Facets = readonly string[]
export type Matches = (facets: Facets) => boolean

/** A record with its position in the list. */
export interface Item<T> extends Position {
  readonly id: string
  readonly record: T
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
  /** Oldest first. */
  above(): Iterator<Item<T>>
  count(matches: Matches): number
  readonly first: Item<T> | undefined
  named(word: string, position: Position): Iterator<Item<T>>
}
