import { canonicalJson } from '../contract/json.ts'

/** How often a rule or a fault matched, and how often it was used. */
export interface Count {
  readonly held: number
  readonly used: number
}

export const UNCOUNTED: Count = { held: 0, used: 0 }

/** Limits on how often a rule or a fault is used. */
export interface MatchLimits {
  /** Switched off: it matches nothing, and is not counted. */
  readonly off: boolean
  /** Only the nth time that it matches. */
  readonly nth: number | null
  /** Every time except the nth. */
  readonly skipNth: number | null
  /** At most this many times. */
  readonly times: number | null
  /** With this probability, each time. */
  readonly probability: number | null
}

export interface FirstMatch<T> {
  readonly taken: T | undefined
  /** The indexes of all that matched, up to the one that was used. */
  readonly held: readonly number[]
  readonly used: number | null
}

/** The first match whose limits allow it. Earlier matches are counted too. */
export function firstMatch<T extends MatchLimits>(
  items: readonly T[],
  holds: (item: T) => boolean,
  counts: ReadonlyMap<number, Count>,
  chance: () => number,
): FirstMatch<T> {
  const held: number[] = []
  for (let at = 0; at < items.length; at++) {
    const item = items[at]
    if (!item || item.off || !holds(item)) continue
    held.push(at)
    const count = counts.get(at) ?? UNCOUNTED
    const isNth = (item.nth === null || count.held + 1 === item.nth) && count.held + 1 !== item.skipNth
    const isLeft = item.times === null || count.used < item.times
    if (isNth && isLeft && (item.probability === null || chance() < item.probability))
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

/** What may be switched off, in the form that people write. */
interface Switchable {
  readonly off?: boolean
}

/**
 * Which entry of the list before each entry of the new list continues: the one that is the same, except that it may be
 * switched on or off. Undefined if none continues.
 */
export function continuedFrom(
  before: readonly Switchable[],
  after: readonly Switchable[],
): (number | null)[] | undefined {
  const left = new Map<string, number[]>()
  before.forEach((item, at) => {
    const same = withoutSwitch(item)
    left.set(same, [...(left.get(same) ?? []), at])
  })
  const continued = after.map(item => left.get(withoutSwitch(item))?.shift() ?? null)
  return continued.some(was => was !== null) ? continued : undefined
}

const withoutSwitch = ({ off: _, ...rest }: Switchable) => canonicalJson(rest)

/** The counts of a new list, of which some entries continue others. */
export const continueCounts = (
  counts: ReadonlyMap<number, Count>,
  continued: readonly (number | null)[] = [],
): Map<number, Count> =>
  new Map(
    continued.flatMap((was, at) => {
      const count = was === null ? undefined : counts.get(was)
      return count ? [[at, count] as const] : []
    }),
  )

/** Allows so many calls in any window of this length. What it refuses does not count. */
export class RateLimit {
  /** When the last calls were allowed, at most as many as the limit; the oldest is at `#next` once there are so many. */
  readonly #at: number[] = []
  #next = 0

  constructor(
    private readonly limit: number,
    private readonly perMs: number,
  ) {}

  allows(now: number): boolean {
    if (this.freeInMs(now) > 0) return false
    this.#at[this.#next] = now
    this.#next = (this.#next + 1) % this.limit
    return true
  }

  /** How long it is until another call is allowed. */
  freeInMs(now: number): number {
    const oldest = this.#at[this.#next]
    return oldest === undefined ? 0 : Math.max(0, oldest + this.perMs - now)
  }
}
