import sortedBtree from 'sorted-btree'

const BTree = sortedBtree.default
type Tree<P extends Position> = InstanceType<typeof BTree<P, undefined>>

/** Where a record stands in its list: by time, then by order of creation. */
export interface Position {
  readonly at: number
  readonly ordinal: number
}

export const comparePositions = (a: Position, b: Position) => a.at - b.at || a.ordinal - b.ordinal

export const FROM_THE_TOP: Position = { at: Number.POSITIVE_INFINITY, ordinal: 0 }
export const FROM_THE_BOTTOM: Position = { at: Number.NEGATIVE_INFINITY, ordinal: 0 }

/** The values that a list can be filtered by. */
export type Facets = readonly string[]
export type Matches = (facets: Facets) => boolean

export const sameFacets = (a: Facets, b: Facets) =>
  a === b || (a.length === b.length && a.every((facet, nth) => facet === b[nth]))

/** The records with one combination of facets. */
interface Group<P extends Position> {
  readonly facets: Facets
  readonly tree: Tree<P>
}

/**
 * Records in list order, split by facets: each combination of facet values has its own tree. A page merges the trees
 * whose facets match, so its cost depends on its size, not on the filters or the number of records.
 */
export class ListIndex<P extends Position> {
  readonly #trees = new Map<string, Group<P>>()
  /** Where the last record was added or removed. The next one mostly has the same facets. */
  #last: Group<P> | undefined

  /** Returns the facets as all records with the same ones have them. */
  add(place: P, facets: Facets): Facets {
    let group = this.#groupOf(facets)
    if (!group) {
      group = { facets, tree: new BTree<P, undefined>(undefined, comparePositions) }
      this.#trees.set(facets.join('|'), group)
    }
    group.tree.set(place, undefined)
    return group.facets
  }

  remove(place: P, facets: Facets): void {
    this.#groupOf(facets)?.tree.delete(place)
  }

  #groupOf(facets: Facets): Group<P> | undefined {
    if (!this.#last || !sameFacets(this.#last.facets, facets)) this.#last = this.#trees.get(facets.join('|'))
    return this.#last
  }

  /** How many records match, from a position to before another one. */
  count(matches: Matches, from = FROM_THE_BOTTOM, to = FROM_THE_TOP): number {
    const isWhole = from === FROM_THE_BOTTOM && to === FROM_THE_TOP
    if (comparePositions(from, to) >= 0) return 0
    let total = 0
    // The tree compares only the members of a position.
    for (const { facets, tree } of this.#trees.values())
      if (matches(facets)) total += isWhole ? tree.size : tree.forRange(from as P, to as P, false)
    return total
  }

  /** The lowest position in the list. */
  get first(): P | undefined {
    let first: P | undefined
    for (const { tree } of this.#trees.values()) {
      const lowest = tree.minKey()
      if (lowest && (!first || comparePositions(lowest, first) < 0)) first = lowest
    }
    return first
  }

  /** Oldest first, from a position on. */
  above(from: Position): Generator<P> {
    // The tree compares only the members of a position.
    const sources = [...this.#trees.values()].map(({ tree }) => tree.keys(from as P))
    return merged(sources, (a, b) => comparePositions(b, a))
  }

  /** Newest first, from just below a position. */
  below(position: Position, matches: Matches): Generator<P> {
    const sources: Iterator<P>[] = []
    for (const { facets, tree } of this.#trees.values())
      if (matches(facets)) sources.push(keysBelow(tree, position))
    return newestFirst(sources)
  }
}

function* keysBelow<P extends Position>(tree: Tree<P>, position: Position): Generator<P> {
  // The tree compares only the members of a position.
  for (const [place] of tree.entriesReversed(position as P, undefined, true)) yield place
}

/** Merges sources that are each newest first. */
export const newestFirst = <P extends Position>(sources: readonly Iterator<P>[]): Generator<P> =>
  merged(sources, comparePositions)

/** Merges sources that are each in an order, the greatest first. */
export function* merged<P>(sources: readonly Iterator<P>[], order: (a: P, b: P) => number): Generator<P> {
  const waiting: { readonly rest: Iterator<P>; head: P }[] = []
  for (const rest of sources) {
    const first = rest.next()
    if (!first.done) waiting.push({ rest, head: first.value })
  }
  for (let [next] = waiting; next; [next] = waiting) {
    for (const other of waiting) if (order(other.head, next.head) > 0) next = other
    yield next.head
    const after = next.rest.next()
    if (!after.done) next.head = after.value
    else waiting.splice(waiting.indexOf(next), 1)
  }
}

/** The positions of a word. Most words have only one, and a million of those must need little memory. */
export class PositionsByWord<P extends Position> {
  readonly #places = new Map<string, P | Tree<P>>()

  add(word: string, place: P): void {
    const found = this.#places.get(word)
    if (!found) this.#places.set(word, place)
    else if (found instanceof BTree) found.set(place, undefined)
    else {
      const tree = new BTree<P, undefined>(undefined, comparePositions)
      tree.set(found, undefined)
      tree.set(place, undefined)
      this.#places.set(word, tree)
    }
  }

  remove(word: string, place: P): void {
    const found = this.#places.get(word)
    if (found instanceof BTree) found.delete(place)
    else if (found === place) this.#places.delete(word)
  }

  *below(position: Position, word: string): Generator<P> {
    const found = this.#places.get(word)
    if (found instanceof BTree) yield* keysBelow(found, position)
    else if (found && comparePositions(found, position) < 0) yield found
  }
}
