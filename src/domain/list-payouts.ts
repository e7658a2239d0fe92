import type { PayoutStatus } from '../contract/statuses.ts'
import { comparePositions, FROM_THE_TOP, type Matches, type Position } from './list-index.ts'
import type { Payout } from './model.ts'
import type { Item } from './table.ts'
import type { World } from './world.ts'

export interface PayoutQuery {
  readonly country: string | undefined
  readonly currency: string | undefined
  readonly statuses: readonly PayoutStatus[] | undefined
  readonly merchantReference: string | undefined
  /** Inclusive. */
  readonly createdFrom: number | undefined
  /** Exclusive. */
  readonly createdBefore: number | undefined
  readonly limit: number
  /** The last position of the previous page. */
  readonly below: Position | undefined
}

export const positionOf = ({ sortKey }: Payout): Position => ({
  at: sortKey.createdAt,
  ordinal: sortKey.ordinal,
})

export interface PayoutPage {
  readonly payouts: readonly Payout[]
  readonly hasMore: boolean
}

/**
 * Most recent first. The filters choose indexes and do not scan records, so the cost depends on the page's size.
 */
export function pageOfPayouts(world: World, query: PayoutQuery): PayoutPage {
  const { merchantReference, createdFrom = Number.NEGATIVE_INFINITY, limit } = query
  // Those of the page, and the one after them.
  const items: Item<Payout>[] = []
  for (const item of places(world, query)) {
    if (item.at < createdFrom) break
    const isWanted = merchantReference === undefined || matches(item.record, query)
    if (isWanted && items.push(item) > limit) break
  }
  return { payouts: items.slice(0, limit).map(({ record }) => record), hasMore: items.length > limit }
}

const startOf = ({ below = FROM_THE_TOP, createdBefore = Number.POSITIVE_INFINITY }: PayoutQuery) =>
  lower(below, { at: createdBefore, ordinal: 0 })

function places(world: World, query: PayoutQuery): Iterable<Item<Payout>> {
  const start = startOf(query)
  if (query.merchantReference !== undefined) return world.payouts.named(query.merchantReference, start)
  return world.payouts.below(start, facetsIn(query))
}

const facetsIn =
  ({ country, currency, statuses }: PayoutQuery): Matches =>
  ([ofCountry, ofCurrency, ofStatus]) =>
    (country === undefined || country === ofCountry) &&
    (currency === undefined || currency === ofCurrency) &&
    (statuses === undefined || statuses.some(status => status === ofStatus))

/** The conditions that the index of references does not check. */
const matches = (payout: Payout, { country, currency, statuses }: PayoutQuery) =>
  (country === undefined || country === payout.country) &&
  (currency === undefined || currency === payout.currency) &&
  (statuses === undefined || statuses.includes(payout.status))

function lower(a: Position, b: Position): Position {
  return comparePositions(a, b) < 0 ? a : b
}
