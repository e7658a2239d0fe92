import sortedBtree from 'sorted-btree'
import type { SortKey } from './model.ts'

const BTree = sortedBtree.default
type Tree = InstanceType<typeof BTree<SortKey, undefined>>

const bySortKey = (a: SortKey, b: SortKey) => a.createdAt - b.createdAt || a.ordinal - b.ordinal

/**
 * Records in list order, split by facets: each combination of facet values has its own tree. A page merges the trees
 * whose facets match, so its cost depends on its size, not on the filters or the number of records.
 */
export class ListIndex {
  readonly #shelves = new Map<string, { facets: readonly string[]; tree: Tree }>()

  add(place: SortKey, facets: readonly string[]): void {
    const key = facets.join('|')
    let shelf = this.#shelves.get(key)
    if (!shelf) {
      shelf = { facets, tree: new BTree<SortKey, undefined>(undefined, bySortKey) }
      this.#shelves.set(key, shelf)
    }
    shelf.tree.set(place, undefined)
  }

  move(place: SortKey, from: readonly string[], to: readonly string[]): void {
    this.#shelves.get(from.join('|'))?.tree.delete(place)
    this.add(place, to)
  }

  /** How many records match. */
  count(matches: (facets: readonly string[]) => boolean): number {
    let total = 0
    for (const { facets, tree } of this.#shelves.values()) if (matches(facets)) total += tree.size
    return total
  }

  /** Newest first, from just below a position. */
  *below(position: PagePosition, matches: (facets: readonly string[]) => boolean): Generator<SortKey> {
    const start = { id: '', ...position }
    const sources: { rest: Iterator<[SortKey, undefined]>; head: SortKey }[] = []
    for (const { facets, tree } of this.#shelves.values()) {
      if (!matches(facets)) continue
      const rest = tree.entriesReversed(start, undefined, true)
      const first = rest.next()
      if (!first.done) sources.push({ rest, head: first.value[0] })
    }
    while (sources.length > 0) {
      const source = sources.reduce((best, other) => (bySortKey(other.head, best.head) > 0 ? other : best))
      yield source.head
      const next = source.rest.next()
      if (!next.done) source.head = next.value[0]
      else sources.splice(sources.indexOf(source), 1)
    }
  }
}

/** The place that a page starts below. */
export interface PagePosition {
  readonly createdAt: number
  readonly ordinal: number
}

export const FROM_THE_TOP: PagePosition = { createdAt: Number.POSITIVE_INFINITY, ordinal: 0 }

/** The positions of a word. Most words have only one, and a million of those must need little memory. */
export class ValueIndex {
  readonly #places = new Map<string, SortKey | Tree>()

  add(word: string, place: SortKey): void {
    const held = this.#places.get(word)
    if (!held) this.#places.set(word, place)
    else if (held instanceof BTree) held.set(place, undefined)
    else {
      const tree = new BTree<SortKey, undefined>(undefined, bySortKey)
      tree.set(held, undefined)
      tree.set(place, undefined)
      this.#places.set(word, tree)
    }
  }

  *below(position: PagePosition, word: string): Generator<SortKey> {
    const held = this.#places.get(word)
    const start = { id: '', ...position }
    if (held instanceof BTree) {
      for (const [place] of held.entriesReversed(start, undefined, true)) yield place
    } else if (held && bySortKey(held, start) < 0) yield held
  }
}
