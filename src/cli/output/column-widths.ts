/** What a column does on a screen too narrow for all of them. */
export interface Giving {
  /** The column that gives most is narrowed and left out first; without it, a column stays. */
  readonly give?: number
  /** Narrowed to this before it is left out; 8 unless said otherwise. */
  readonly least?: number
  /** Shown whole or not at all: money, an id, a time says something else when it is cut. */
  readonly whole?: boolean
}

/** Blanks between two columns. */
export const GAP = 2
/** Narrower than this, a column that may give tells nothing. */
const LEAST = 8

/**
 * The width of each column, 0 for one that is left out. The columns that give most are narrowed first, then left out
 * one after another; what is kept in any case is never cut. Undefined where that has no room beside each other.
 */
export function fitWidths(
  columns: readonly Giving[],
  wanted: readonly number[],
  screenWidth: number,
): number[] | undefined {
  const givers = columns
    .map(({ give = 0 }, index) => ({ give, index }))
    .filter(({ give }) => give > 0)
    .sort((a, b) => b.give - a.give || b.index - a.index)
  const leastOf = (index: number) => {
    const { whole = false, least = LEAST } = columns[index] ?? {}
    const width = wanted[index] ?? 0
    return whole ? width : Math.min(width, least)
  }
  for (let left = 0; left <= givers.length; left++) {
    const widths = wanted.map((width, index) =>
      givers.slice(0, left).some(one => one.index === index) ? 0 : width,
    )
    const kept = givers.slice(left).map(({ index }) => index)
    if (narrowed(widths, kept, leastOf, screenWidth)) return widths
  }
  return undefined
}

function narrowed(
  widths: number[],
  givers: readonly number[],
  leastOf: (index: number) => number,
  screenWidth: number,
): boolean {
  let excess = lineWidth(widths) - screenWidth
  for (const index of givers) {
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
