/** What a column does on a screen too narrow for all of them. */
export interface Giving {
  /** The column that gives most is narrowed and left out first; without it, a column stays. */
  readonly give?: number
  /** Narrowed to this before it is left out; 8 unless said otherwise. */
  readonly least?: number
}

/** Blanks between two columns. */
export const GAP = 2
/** Narrower than this, a column that may give tells nothing. */
const LEAST = 8

/**
 * The width of each column, 0 for one that is left out. The columns that give most are narrowed first, then left out
 * one after another; what is kept in any case is narrowed last, and by right of order.
 */
export function fitWidths(
  columns: readonly Giving[],
  wanted: readonly number[],
  screenWidth: number,
): number[] {
  const givers = columns
    .map(({ give = 0 }, index) => ({ give, index }))
    .filter(({ give }) => give > 0)
    .sort((a, b) => b.give - a.give || b.index - a.index)
  const leastOf = (index: number) => Math.min(wanted[index] ?? 0, columns[index]?.least ?? LEAST)
  for (let left = 0; left <= givers.length; left++) {
    const widths = wanted.map((width, index) =>
      givers.slice(0, left).some(one => one.index === index) ? 0 : width,
    )
    const kept = givers.slice(left).map(({ index }) => index)
    if (narrowed(widths, kept, leastOf, screenWidth)) return widths
  }
  return crammed(
    wanted.map((width, index) => ((columns[index]?.give ?? 0) > 0 ? 0 : width)),
    screenWidth,
  )
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

/** What nobody wanted narrower: from the last column to the first, down to a sign each, then away with them. */
function crammed(widths: number[], screenWidth: number): number[] {
  const last = widths.map((_, index) => index).reverse()
  if (narrowed(widths, last, () => 1, screenWidth)) return widths
  for (const index of last.slice(0, -1)) {
    widths[index] = 0
    if (lineWidth(widths) <= screenWidth) break
  }
  return widths
}

function lineWidth(widths: readonly number[]): number {
  const shown = widths.filter(width => width > 0)
  return shown.reduce((sum, width) => sum + width, 0) + GAP * Math.max(0, shown.length - 1)
}
