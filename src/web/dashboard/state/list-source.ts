import { signal } from '@preact/signals'
import type { AnswerTo } from '../../../contract/control/call.ts'
import type { ControlCall } from '../../../contract/control/operations.ts'
import type { ListWindow } from '../../../contract/control/overview.ts'
import { call } from './api.ts'

/** The calls that read a part of a list. */
export type ListCall = Extract<ControlCall, `GET /accounts/:account/browse/${string}`>
export type RowOf<C extends ListCall> = AnswerTo<C>['data'][number]

interface ListState<R> extends Pick<ListWindow<R>, 'total' | 'exact' | 'newer'> {
  readonly pages: ReadonlyMap<number, readonly R[]>
  readonly error: unknown
}

const PAGE_ROWS = 100

/**
 * A list on the server, of which only the visible part is loaded. At its top it shows new records; further down it does
 * not move.
 */
export class ListSource<C extends ListCall> {
  /** Undefined until the first page is loaded. */
  readonly state = signal<ListState<RowOf<C>> | undefined>(undefined)
  #anchor: string | undefined
  /** Grows when a restart is asked for and when its page arrives: responses to requests from before either are ignored. */
  #era = 0
  readonly #asked = new Set<number>()

  constructor(
    private readonly name: C,
    private readonly account: string,
    /** The filters, as in a URL. */
    private readonly filters: string,
  ) {}

  get anchor(): string | undefined {
    return this.#anchor
  }

  /** Starts at the saved position instead of the newest record. */
  resume(anchor: string | undefined, first: number, last: number): Promise<void> {
    this.#anchor = anchor
    return this.refresh(first, last)
  }

  row(at: number): RowOf<C> | undefined {
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
      // A first search of many records shows what it has found so far.
      if (!page.exact) await this.restart()
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
      if (!newest.exact) await this.refresh(first, last)
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

  #fetch(page: number, anchor?: string): Promise<ListWindow<RowOf<C>>> {
    const filters = Object.fromEntries(new URLSearchParams(this.filters))
    const part = call<ListCall>(this.name, {
      params: { account: this.account },
      query: { ...filters, offset: page * PAGE_ROWS, limit: PAGE_ROWS, anchor, partial: 'true' },
    })
    return part as Promise<ListWindow<RowOf<C>>>
  }

  #take(pages: ListState<RowOf<C>>['pages'], { total, exact, newer }: ListWindow<RowOf<C>>): void {
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
