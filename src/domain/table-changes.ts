import { ListIndex, PositionsByWord } from './list-index.ts'
import type { Facets, Item } from './past.ts'

/** A record in memory. The list contains this same object. */
export interface Held<T> extends Item<T> {
  readonly at: number
  record: T
  /** The facets under which it is listed, which may be those before its latest change. */
  facets: Facets
  listed: boolean
  /** No version of it is anywhere else. */
  readonly isNew: boolean
}

export const NO_FACETS: Facets = []

/** How many records may wait to be listed. To list so many takes about a millisecond. */
const MOST_UNLISTED = 1024

/** The changes of a table since some moment. */
export class Changes<T> {
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
