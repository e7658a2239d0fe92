import type { ComponentChildren } from 'preact'
import type { ListPlace } from '../state/list-place.ts'

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
export function layoutOf<R>(columns: readonly ListColumn<R>[], width: number) {
  if (width >= ONE_LINE_PX)
    return { ROW: LINE, tracks: columns.map(column => column.width).join(' '), perLine: null }
  const perLine = width >= THREE_A_LINE_PX ? 3 : 2
  const long = columns.filter(column => column.long).length
  const lines = Math.ceil((columns.length - long) / perLine) + long
  const tracks = `repeat(${perLine - 1}, minmax(0, 1fr)) minmax(0, auto)`
  return { ROW: AROUND_LINES + lines * LINE_OF_SEVERAL, tracks, perLine }
}

/** Whether a cell is aligned to the right edge. */
export function isLastOf<R>(columns: readonly ListColumn<R>[], place: number, perLine: number): boolean {
  const before = columns.slice(0, place).filter(({ long }) => !long).length
  return !columns[place]?.long && before % perLine === perLine - 1
}

const SIDEBAR_PX = 232
const PHONE_PX = 860

/** An estimate of the visible part, until it can be measured. */
export function firstView<R>(left: ListPlace | undefined, columns: readonly ListColumn<R>[]) {
  const { innerWidth, innerHeight } = window
  const width = innerWidth > PHONE_PX ? innerWidth - SIDEBAR_PX : innerWidth
  return { top: (left?.rows ?? 0) * layoutOf(columns, width).ROW, height: innerHeight, width }
}
