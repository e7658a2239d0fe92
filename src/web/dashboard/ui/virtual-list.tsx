// biome-ignore-all lint/a11y/useSemanticElements: rows that are not there cannot stand in a table element
// biome-ignore-all lint/a11y/useFocusableInteractive: what has the focus is the link in a row
// biome-ignore-all lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard

import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks'
import { countText } from '../format.ts'
import { type ListCall, ListSource, type RowOf } from '../state/list-source.ts'
import { keep, kept } from '../state/router.ts'
import { live, repeatedly } from '../state/use-live.ts'
import { Icon } from './icon.tsx'
import { ErrorNote } from './page.tsx'

interface VirtualListProps<C extends ListCall> {
  /** What its rows show. */
  readonly label: { readonly one: string; readonly many: string }
  readonly call: C
  readonly account: string
  readonly query: string
  /** The kinds of changes that affect it. */
  readonly about: readonly string[]
  readonly columns: readonly ListColumn<RowOf<C>>[]
  readonly hrefOf: (row: RowOf<C>) => string
  /** The accessible name of a row's link. */
  readonly nameOf: (row: RowOf<C>) => string
  readonly empty: ComponentChildren
}

/** Rows to draw beyond the visible part, so that scrolling shows no gaps. */
const BEYOND = 12
/** Rows to load beyond those that are drawn, so that they are there when the user scrolls to them. */
const AHEAD = 150
/** While the user scrolls fast, not every page is loaded. */
const BETWEEN_LOADS_MS = 60
/** A browser limits how often the history may be changed. */
const NOTED_MS = 200

/** A list of any length, which draws and loads only the visible part. */
export function VirtualList<C extends ListCall>(props: VirtualListProps<C>) {
  const { label, call, account, query, about, columns, hrefOf, nameOf, empty } = props
  const scroller = useRef<HTMLDivElement>(null)
  const list = `${call} ${account}?${query}`
  const left = useMemo(() => keptPlace(list), [list])
  const [view, setView] = useState(() => firstView(left, columns))
  const source = useMemo(() => new ListSource(call, account, query), [call, account, query])
  const state = source.state.value
  const { ROW, tracks, perLine } = layoutOf(columns, view.width)
  const first = Math.max(0, Math.floor(view.top / ROW) - BEYOND)
  const last = Math.min(
    (state?.total ?? Number.POSITIVE_INFINITY) - 1,
    Math.ceil((view.top + view.height) / ROW) + BEYOND,
  )

  const look = () => {
    const { current } = scroller
    if (current) setView({ top: current.scrollTop, height: current.clientHeight, width: current.clientWidth })
  }
  const seen = useRef({ first, last, top: 0, ROW })
  seen.current = { first, last, top: view.top, ROW }

  const noting = useRef<number | undefined>(undefined)
  const note = () => {
    window.clearTimeout(noting.current)
    const { current } = scroller
    if (!current || !source.state.peek()) return
    const at = rowInFocus()
    const row = at === undefined ? undefined : source.row(at)
    const rows = current.scrollTop / seen.current.ROW
    keepPlace({ of: list, anchor: source.anchor, rows, at: at ?? null, href: row ? hrefOf(row) : null })
  }
  const noteSoon = () => {
    window.clearTimeout(noting.current)
    noting.current = window.setTimeout(note, NOTED_MS)
  }

  // The row to focus may have to be loaded or drawn first.
  const goal = useRef<number | undefined>(undefined)
  const returning = useRef<ListPlace | undefined>(undefined)
  useEffect(() => {
    returning.current = left
    goal.current = undefined
    if (!left) scroller.current?.scrollTo(0, 0)
    look()
    const reading = repeatedly(() => {
      const { first: from, last: to, top } = seen.current
      if (!source.state.peek() && left) return source.resume(left.anchor, from, Math.max(from, to))
      return top < seen.current.ROW || !source.state.peek()
        ? source.restart()
        : source.refresh(from, Math.max(from, to))
    })
    reading.wish()
    const stopListening = live.listen(change => {
      if (change === 'everything' || about.some(subject => change.about.includes(subject))) reading.wish()
    })
    const resized = new ResizeObserver(look)
    if (scroller.current) resized.observe(scroller.current)
    return () => {
      window.clearTimeout(noting.current)
      stopListening()
      reading.stop()
      resized.disconnect()
    }
  }, [source])

  useLayoutEffect(() => {
    const place = returning.current
    if (!place || !state || !scroller.current) return
    returning.current = undefined
    scroller.current.scrollTop = place.rows * ROW
    look()
    if (place.at !== null) goal.current = rowOf(source, place, hrefOf)
  }, [state])

  const loading = useRef<number | undefined>(undefined)
  const load = () => {
    const { first: from, last: to } = seen.current
    const end = (source.state.peek()?.total ?? 0) - 1
    if (to >= from) source.ensure(Math.max(0, from - AHEAD), Math.min(end, to + AHEAD))
  }
  useEffect(() => {
    if (!state || last < first || loading.current !== undefined) return
    load()
    loading.current = window.setTimeout(() => {
      loading.current = undefined
      load()
    }, BETWEEN_LOADS_MS)
  }, [source, first, last, state?.total, source.anchor])
  useEffect(
    () => () => {
      window.clearTimeout(loading.current)
      loading.current = undefined
    },
    [source],
  )

  const arrive = () => {
    const row = scroller.current?.querySelector<HTMLElement>(`[data-at="${goal.current}"]`)
    if (!row) return
    goal.current = undefined
    row.focus({ preventScroll: true })
  }
  useEffect(arrive)
  const walk = (event: KeyboardEvent) => {
    const by = stepOf(event)
    if (by === 0 || !scroller.current) return
    event.preventDefault()
    const from = goal.current ?? rowInFocus()
    const at = from === undefined ? Math.ceil(scroller.current.scrollTop / ROW) : from + by
    if (at < 0 || at >= (state?.total ?? 0)) return
    goal.current = at
    bringIntoView(scroller.current, at, ROW)
    arrive()
  }

  if (state?.error !== undefined && state.pages.size === 0) return <ErrorNote error={state.error} />
  if (state?.exact && state.total === 0 && state.newer === 0) return <>{empty}</>
  const toTop = () => {
    scroller.current?.scrollTo(0, 0)
    source.restart()
  }
  const rows = state ? Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at) : []
  return (
    <div class="list">
      <p class="list-count" role="status">
        {state
          ? `${countText(state.total)} ${state.total === 1 ? label.one : label.many}${state.exact ? '' : ' so far…'}`
          : 'Loading…'}
      </p>
      {state && state.newer > 0 && (
        <button type="button" class="newer" onClick={toTop}>
          <Icon name="up" />
          {countText(state.newer)} newer
        </button>
      )}
      <div
        class={`scroller${perLine ? ' in-lines' : ''}`}
        ref={scroller}
        role="table"
        aria-label={label.many}
        aria-rowcount={(state?.total ?? 0) + 1}
        tabIndex={0}
        onScroll={() => {
          look()
          noteSoon()
        }}
        onFocusIn={noteSoon}
        onClickCapture={note}
        onKeyDown={walk}
      >
        <div class="list-head" role="row" aria-rowindex={1} style={{ gridTemplateColumns: tracks }}>
          {columns.map(({ title, align }) => (
            <span key={title} role="columnheader" class={align}>
              {title}
            </span>
          ))}
        </div>
        <div class="list-rows" role="presentation" style={{ height: `${(state?.total ?? 0) * ROW}px` }}>
          {rows.map(at => {
            const row = source.row(at)
            const style = {
              transform: `translateY(${at * ROW}px)`,
              gridTemplateColumns: tracks,
              height: `${ROW}px`,
            }
            return (
              <div
                key={at}
                class={`list-row${row ? '' : ' coming'}`}
                role="row"
                aria-rowindex={at + 2}
                style={style}
              >
                {columns.map(({ title, cell, align, long }, place) => (
                  <span
                    key={title}
                    role="cell"
                    class={[align, long && 'long', perLine && isLastOf(columns, place, perLine) && 'last']
                      .filter(Boolean)
                      .join(' ')}
                  >
                    {row && place === 0 ? (
                      <a class="row-link" href={hrefOf(row)} data-at={at} aria-label={nameOf(row)}>
                        {cell(row)}
                      </a>
                    ) : row ? (
                      cell(row)
                    ) : (
                      <span class="ghost" />
                    )}
                  </span>
                ))}
              </div>
            )
          })}
        </div>
      </div>
    </div>
  )
}

/** The arrow keys move from row to row, and scroll the list. */
const stepOf = ({ key }: KeyboardEvent) => (key === 'ArrowDown' ? 1 : key === 'ArrowUp' ? -1 : 0)

function rowInFocus(): number | undefined {
  const { activeElement } = document
  const at = activeElement instanceof HTMLElement ? activeElement.dataset.at : undefined
  return at === undefined ? undefined : Number(at)
}

function bringIntoView(scroller: HTMLElement, at: number, row: number): void {
  const [above, below] = [at * row, (at + 2) * row]
  if (above < scroller.scrollTop) scroller.scrollTop = above
  else if (below > scroller.scrollTop + scroller.clientHeight)
    scroller.scrollTop = below - scroller.clientHeight
}

/** Rows may have been added or removed meanwhile, so this searches near the old position. */
function rowOf<C extends ListCall>(
  source: ListSource<C>,
  { at, href }: ListPlace,
  hrefOf: (row: RowOf<C>) => string,
): number {
  const near = Array.from(
    { length: 2 * BEYOND },
    (_, nth) => (at ?? 0) + (nth % 2 ? -1 : 1) * Math.ceil(nth / 2),
  )
  const found = near.find(candidate => {
    const row = source.row(candidate)
    return row !== undefined && hrefOf(row) === href
  })
  return found ?? at ?? 0
}

export interface ListColumn<R> {
  readonly title: string
  /** The size of its grid track, if a row is one line. */
  readonly width: string
  readonly cell: (row: R) => ComponentChildren
  readonly align?: 'end'
  /** Whether it gets its own line, if a row has several. */
  readonly long?: boolean
}

const LINE = 44
/** Below this width, a row has several lines, because cut-off cells would be useless. */
const ONE_LINE_PX = 960
const THREE_A_LINE_PX = 560
const LINE_OF_SEVERAL = 26
const AROUND_LINES = 20

/** The layout of rows for this width. */
function layoutOf<R>(columns: readonly ListColumn<R>[], width: number) {
  if (width >= ONE_LINE_PX)
    return { ROW: LINE, tracks: columns.map(column => column.width).join(' '), perLine: null }
  const perLine = width >= THREE_A_LINE_PX ? 3 : 2
  const long = columns.filter(column => column.long).length
  const lines = Math.ceil((columns.length - long) / perLine) + long
  const tracks = `repeat(${perLine - 1}, minmax(0, 1fr)) minmax(0, auto)`
  return { ROW: AROUND_LINES + lines * LINE_OF_SEVERAL, tracks, perLine }
}

/** Whether a cell is aligned to the right edge. */
function isLastOf<R>(columns: readonly ListColumn<R>[], place: number, perLine: number): boolean {
  const before = columns.slice(0, place).filter(({ long }) => !long).length
  return !columns[place]?.long && before % perLine === perLine - 1
}

const SIDEBAR_PX = 232
const PHONE_PX = 860

/** An estimate of the visible part, until it can be measured. */
function firstView<R>(left: ListPlace | undefined, columns: readonly ListColumn<R>[]) {
  const { innerWidth, innerHeight } = window
  const width = innerWidth > PHONE_PX ? innerWidth - SIDEBAR_PX : innerWidth
  return { top: (left?.rows ?? 0) * layoutOf(columns, width).ROW, height: innerHeight, width }
}

/** The position in a list, stored in the browser's history so that Back returns to it. */
interface ListPlace {
  /** Call, account and query: another list starts at its top. */
  readonly of: string
  readonly anchor: string | undefined
  /** The scroll position, in rows. */
  readonly rows: number
  /** The focused row, and the URL that it links to. */
  readonly at: number | null
  readonly href: string | null
}

const NAME = 'list'

function keptPlace(of: string): ListPlace | undefined {
  const place = kept(NAME) as ListPlace | undefined
  return place?.of === of ? place : undefined
}

const keepPlace = (place: ListPlace): void => keep(NAME, place)
