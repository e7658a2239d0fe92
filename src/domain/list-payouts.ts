import type { PayoutStatus } from '../contract/statuses.ts'
import { comparePositions, FROM_THE_TOP, type Matches, type Position } from './list-index.ts'
import type { Payout } from './model.ts'
import { type Coming, fetchAll, firstOf, type Item } from './table.ts'
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
  const payouts: Payout[] = []
  for (const place of places(world, query)) {
    if (place.at < (query.createdFrom ?? Number.NEGATIVE_INFINITY)) break
    const payout = place.record
    if (!matches(payout, query)) continue
    if (payouts.length === query.limit) return { payouts, hasMore: true }
    payouts.push(payout)
  }
  return { payouts, hasMore: false }
}

/** How many of the payouts with a reference are looked through at most without a pause. */
const MOST_NAMED = 1024

/** Reads the payouts of a page that are not in memory. */
export function fetchPage({ payouts }: World, query: PayoutQuery): Coming {
  const { merchantReference, limit } = query
  if (merchantReference !== undefined)
    return payouts.fetchNamed(merchantReference, startOf(query), MOST_NAMED)
  return fetchAll(firstOf(payouts.below(startOf(query), facetsIn(query)), limit + 1))
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
