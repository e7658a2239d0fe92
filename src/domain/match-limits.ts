/** How often something held, and how often it was the one. */
export interface Count {
  readonly held: number
  readonly used: number
}

export const UNCOUNTED: Count = { held: 0, used: 0 }

/** What limits how often a rule or a fault has its turn. */
export interface MatchLimits {
  /** Only the time that it holds for the nth time. */
  readonly nth: number | null
  /** Not the time that it holds for the nth time. */
  readonly skipNth: number | null
  /** Used up after so many. */
  readonly times: number | null
  /** By chance, each time. */
  readonly probability: number | null
}

export interface FirstMatch<T> {
  readonly taken: T | undefined
  /** The places of all that held, up to the one that was taken. */
  readonly held: readonly number[]
  readonly used: number | null
}

/** The first that holds and whose turn it is. Those before it that held but for their count are counted too. */
export function firstMatch<T extends MatchLimits>(
  items: readonly T[],
  holds: (item: T) => boolean,
  counts: ReadonlyMap<number, Count>,
  chance: () => number,
): FirstMatch<T> {
  const held: number[] = []
  for (const [at, item] of items.entries()) {
    if (!holds(item)) continue
    held.push(at)
    const count = counts.get(at) ?? UNCOUNTED
    const isTurn = (item.nth === null || count.held + 1 === item.nth) && count.held + 1 !== item.skipNth
    const isLeft = item.times === null || count.used < item.times
    if (isTurn && isLeft && (item.probability === null || chance() < item.probability))
      return { taken: item, held, used: at }
  }
  return { taken: undefined, held, used: null }
}

export function countMatch(
  counts: Map<number, Count>,
  { held, used }: Pick<FirstMatch<never>, 'held' | 'used'>,
): void {
  for (const at of held) {
    const count = counts.get(at) ?? UNCOUNTED
    counts.set(at, { held: count.held + 1, used: count.used + (at === used ? 1 : 0) })
  }
}
