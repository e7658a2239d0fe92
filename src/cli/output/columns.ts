import type { Screen } from './screen.ts'

/** How a column behaves on a screen too narrow for all columns. */
export interface Flexibility {
  /** Columns with the highest number are narrowed and left out first. A column without it always stays. */
  readonly give?: number
  /** The column is narrowed to this width before it is left out; 8 by default. */
  readonly least?: number
  /** Shown in full or not at all: an amount, an id or a time means something else when it is cut. */
  readonly whole?: boolean
}

/** `value` and `paint` are methods, not properties, so that a table of payouts also fits where any table is expected. */
export interface Column<Row = unknown> extends Flexibility {
  readonly header: string
  /** The member it shows, as csv and --columns name it. A column made of several members has none. */
  readonly path?: string
  /** The raw text: control characters are escaped when it is drawn. */
  value(row: Row, screen: Screen): string
  readonly align?: 'left' | 'right'
  /** Paints what is left of the value after cutting. */
  paint?(shown: string, row: Row, screen: Screen): string
}

export interface Table<Row = unknown> {
  readonly columns: readonly Column<Row>[]
  /** Shown instead of a table without rows. */
  readonly empty: string
}

/** Blanks between two columns. */
export const GAP = 2
/** A column narrower than this says nothing. */
const LEAST = 8

/**
 * The width of each column, 0 for one that is left out. Columns are narrowed first and then left out one by one, those
 * that give most before the others. Columns that always stay are never cut: undefined if they do not fit side by side.
 */
export function fitWidths(
  columns: readonly Flexibility[],
  wanted: readonly number[],
  screenWidth: number,
): number[] | undefined {
  const flexible = columns
    .map(({ give = 0 }, index) => ({ give, index }))
    .filter(({ give }) => give > 0)
    .sort((a, b) => b.give - a.give || b.index - a.index)
  const leastOf = (index: number) => {
    const { whole = false, least = LEAST } = columns[index] ?? {}
    const width = wanted[index] ?? 0
    return whole ? width : Math.min(width, least)
  }
  for (let left = 0; left <= flexible.length; left++) {
    const widths = wanted.map((width, index) =>
      flexible.slice(0, left).some(one => one.index === index) ? 0 : width,
    )
    const kept = flexible.slice(left).map(({ index }) => index)
    if (narrow(widths, kept, leastOf, screenWidth)) return widths
  }
  return undefined
}

/** Narrows columns in place until the line fits, and says whether it does. */
function narrow(
  widths: number[],
  flexible: readonly number[],
  leastOf: (index: number) => number,
  screenWidth: number,
): boolean {
  let excess = lineWidth(widths) - screenWidth
  for (const index of flexible) {
    if (excess <= 0) break
    const width = widths[index] ?? 0
    const given = Math.min(excess, Math.max(0, width - leastOf(index)))
    widths[index] = width - given
    excess -= given
  }
  return excess <= 0
}

function lineWidth(widths: readonly number[]): number {
  const shown = widths.filter(width => width > 0)
  return shown.reduce((sum, width) => sum + width, 0) + GAP * Math.max(0, shown.length - 1)
}
