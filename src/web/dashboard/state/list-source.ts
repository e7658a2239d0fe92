import { signal } from '@preact/signals'
import type { ListWindow } from '../../../contract/control/overview.ts'
import { callAt } from './api.ts'

/** A part of a list. Not every list reports how many records are newer, or where its rows are. */
type ListPart<R> = Pick<ListWindow<R>, 'data' | 'total'> & Partial<ListWindow<R>>

export interface ListState<R> {
  readonly pages: ReadonlyMap<number, readonly R[]>
  readonly total: number
  readonly exact: boolean
  /** The number of records that were added above the first row since the list was loaded. */
  readonly newer: number
  readonly error: unknown
}

const PAGE_ROWS = 100

/**
 * A list on the server, of which only the visible part is loaded. At its top it shows new records; further down it does
 * not move.
 */
export class ListSource<R> {
  /** Undefined until the first page is loaded. */
  readonly state = signal<ListState<R> | undefined>(undefined)
  #anchor: string | undefined
  /** Grows when a restart is asked for and when its page arrives: responses to requests from before either are ignored. */
  #era = 0
  readonly #asked = new Set<number>()

  constructor(
    private readonly path: string,
    private readonly query: string,
  ) {}

  get anchor(): string | undefined {
    return this.#anchor
  }

  /** Starts at the saved position instead of the newest record. */
  resume(anchor: string | undefined, first: number, last: number): Promise<void> {
    this.#anchor = anchor
    return this.refresh(first, last)
  }

  row(at: number): R | undefined {
    return this.state.value?.pages.get(Math.floor(at / PAGE_ROWS))?.[at % PAGE_ROWS]
  }

  /** Starts again at the newest record. The shown rows stay until it is loaded. */
  async restart(): Promise<void> {
    const era = ++this.#era
    try {
      const page = await this.#fetch(0)
      if (era !== this.#era) return
      this.#era++
      this.#asked.clear()
      this.#anchor = page.anchor
      this.#take(new Map([[0, page.data]]), page)
    } catch (error) {
      if (era === this.#era) this.#fail(error)
    }
  }

  /** Reloads the visible rows, and drops the others. */
  async refresh(first: number, last: number): Promise<void> {
    const era = this.#era
    const wanted = pagesOf(first, last)
    try {
      const read = await Promise.all(
        wanted.map(async page => [page, await this.#fetch(page, this.#anchor)] as const),
      )
      const [, newest] = read[0] ?? []
      if (era !== this.#era || !newest) return
      this.#asked.clear()
      this.#take(new Map(read.map(([page, { data }]) => [page, data])), newest)
    } catch (error) {
      if (era === this.#era) this.#fail(error)
    }
  }

  /** Loads the pages of these rows that are missing. */
  async ensure(first: number, last: number): Promise<void> {
    const era = this.#era
    const { state } = this
    const missing = pagesOf(first, last).filter(
      page => !state.value?.pages.has(page) && !this.#asked.has(page),
    )
    await Promise.all(
      missing.map(async page => {
        this.#asked.add(page)
        try {
          const read = await this.#fetch(page, this.#anchor)
          if (era === this.#era && state.value)
            this.#take(new Map([...state.value.pages, [page, read.data]]), read)
        } catch (error) {
          if (era === this.#era) this.#fail(error)
        } finally {
          if (era === this.#era) this.#asked.delete(page)
        }
      }),
    )
  }

  #fetch(page: number, anchor?: string): Promise<ListPart<R>> {
    const query = new URLSearchParams(this.query)
    query.set('offset', String(page * PAGE_ROWS))
    query.set('limit', String(PAGE_ROWS))
    if (anchor !== undefined) query.set('anchor', anchor)
    return callAt('GET', `${this.path}?${query}`)
  }

  #take(pages: ListState<R>['pages'], { total, exact = true, newer = 0 }: ListPart<R>): void {
    this.state.value = { pages, total, exact, newer, error: undefined }
  }

  #fail(error: unknown): void {
    const { value } = this.state
    this.state.value = { pages: new Map(), total: 0, exact: true, newer: 0, ...value, error }
  }
}

function pagesOf(first: number, last: number): number[] {
  const from = Math.floor(first / PAGE_ROWS)
  return Array.from({ length: Math.floor(last / PAGE_ROWS) - from + 1 }, (_, at) => from + at)
}
