import sortedBtree from 'sorted-btree'
import type { Place } from './model.ts'

const BTree = sortedBtree.default
type Tree = InstanceType<typeof BTree<Place, undefined>>

const byPlace = (a: Place, b: Place) => a.createdAt - b.createdAt || a.ordinal - b.ordinal

/**
 * Records in list order, split by facets: each combination of facet values is a tree of its own. A page is a merge
 * of the trees whose facets match, so it costs what it returns, whatever the filters and however many records.
 */
export class ListIndex {
  readonly #shelves = new Map<string, { facets: readonly string[]; tree: Tree }>()

  add(place: Place, facets: readonly string[]): void {
    const key = facets.join('|')
    let shelf = this.#shelves.get(key)
    if (!shelf) {
      shelf = { facets, tree: new BTree<Place, undefined>(undefined, byPlace) }
      this.#shelves.set(key, shelf)
    }
    shelf.tree.set(place, undefined)
  }

  move(place: Place, from: readonly string[], to: readonly string[]): void {
    this.#shelves.get(from.join('|'))?.tree.delete(place)
    this.add(place, to)
  }

  /** How many records stand on the shelves that match. */
  count(matches: (facets: readonly string[]) => boolean): number {
    let total = 0
    for (const { facets, tree } of this.#shelves.values()) if (matches(facets)) total += tree.size
    return total
  }

  /** Newest first, from just below a position. */
  *below(position: PagePosition, matches: (facets: readonly string[]) => boolean): Generator<Place> {
    const start = { id: '', ...position }
    const sources: { rest: Iterator<[Place, undefined]>; head: Place }[] = []
    for (const { facets, tree } of this.#shelves.values()) {
      if (!matches(facets)) continue
      const rest = tree.entriesReversed(start, undefined, true)
      const first = rest.next()
      if (!first.done) sources.push({ rest, head: first.value[0] })
    }
    while (sources.length > 0) {
      const source = sources.reduce((best, other) => (byPlace(other.head, best.head) > 0 ? other : best))
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

/** Places under a word. Most words have one place only, and a million of those should stay small. */
export class WordIndex {
  readonly #places = new Map<string, Place | Tree>()

  add(word: string, place: Place): void {
    const held = this.#places.get(word)
    if (!held) this.#places.set(word, place)
    else if (held instanceof BTree) held.set(place, undefined)
    else {
      const tree = new BTree<Place, undefined>(undefined, byPlace)
      tree.set(held, undefined)
      tree.set(place, undefined)
      this.#places.set(word, tree)
    }
  }

  *below(position: PagePosition, word: string): Generator<Place> {
    const held = this.#places.get(word)
    const start = { id: '', ...position }
    if (held instanceof BTree) {
      for (const [place] of held.entriesReversed(start, undefined, true)) yield place
    } else if (held && byPlace(held, start) < 0) yield held
  }
}
