import { FROM_THE_TOP, type Position } from '../../../../src/domain/list-index.ts'
import { type PayoutQuery, pageOfPayouts, positionOf } from '../../../../src/domain/list-payouts.ts'
import type { Delivery, Payment, Payout, SortKey } from '../../../../src/domain/model.ts'
import type { ListedRecords } from '../../../../src/domain/table.ts'
import type { Machine, Watch } from '../machine.ts'
import { must } from '../must.ts'

const every = (): Omit<PayoutQuery, 'limit' | 'below'> => ({
  country: undefined,
  currency: undefined,
  statuses: undefined,
  merchantReference: undefined,
  createdFrom: undefined,
  createdBefore: undefined,
})

/** Compares the lists with all records, filtered and sorted. */
export class Lists implements Watch {
  step({ world }: Machine): void {
    const payouts = [...world.payouts.values()]
    const some = payouts[world.seq % Math.max(1, payouts.length)]
    const filters: Partial<PayoutQuery>[] = [
      {},
      { statuses: ['requires_approval', 'succeeded'] },
      { country: 'TH', currency: 'USD' },
      { merchantReference: 'order-1' },
      { merchantReference: 'order-2', country: 'VN', statuses: ['processing'] },
    ]
    if (some)
      filters.push(
        { createdFrom: some.sortKey.createdAt },
        { createdBefore: some.sortKey.createdAt, country: 'TH' },
      )
    const filter = { ...every(), ...filters[world.seq % filters.length] }
    walk(world, filter, 1 + (world.seq % 4))
    walk(world, every(), 100)
    agrees(world.payments, [...world.payments.values()].map(paymentFacets), world.seq)
    agrees(world.deliveries, [...world.deliveries.values()].map(deliveryFacets), world.seq)
  }
}

function walk(world: Machine['world'], filter: ReturnType<typeof every>, limit: number): void {
  const expected = newestFirst(
    [...world.payouts.values()].filter(payout => fits(payout, filter)),
    payout => payout.sortKey,
  )
  const found: Payout[] = []
  let below: Position | undefined
  for (let more = true; more; ) {
    const page = pageOfPayouts(world, { ...filter, limit, below })
    must(page.payouts.length <= limit, 'a page is no longer than its limit')
    found.push(...page.payouts)
    const last = page.payouts.at(-1)
    below = last && positionOf(last)
    more = page.hasMore
    must(more === found.length < expected.length, 'has_more says whether there is more', { filter, limit })
  }
  must(
    found.length === expected.length && found.every((payout, at) => payout === expected[at]),
    'the pages hold each payout that fits once, most recent first',
    { filter, limit, found, expected },
  )
}

const fits = (payout: Payout, filter: ReturnType<typeof every>) =>
  (filter.country ?? payout.country) === payout.country &&
  (filter.currency ?? payout.currency) === payout.currency &&
  (filter.merchantReference ?? payout.merchantReference) === payout.merchantReference &&
  (filter.statuses ?? [payout.status]).includes(payout.status) &&
  payout.sortKey.createdAt >= (filter.createdFrom ?? 0) &&
  payout.sortKey.createdAt < (filter.createdBefore ?? Number.POSITIVE_INFINITY)

/** Newest first. Of records with the same time, the one created last is first: maps keep the order of creation. */
const newestFirst = <T>(records: readonly T[], placeOf: (record: T) => SortKey): T[] =>
  records.toReversed().sort((a, b) => placeOf(b).createdAt - placeOf(a).createdAt)

interface Facetted {
  readonly place: SortKey
  readonly facets: readonly string[]
}

/** Facets as the list has them, made from the record alone. */
function paymentFacets({ sortKey, outcome, action, checkoutMode, route, currency }: Payment): Facetted {
  const status = outcome ?? (action ? 'pending' : 'processing')
  return { place: sortKey, facets: [status, checkoutMode, route?.method ?? '', currency] }
}

function deliveryFacets({ id, status, attempts, createdAt, endpointId }: Delivery, nth: number): Facetted {
  const answers = attempts.flatMap(({ result }) => (result ? [result.status ?? 0] : []))
  const isOpen = status === 'pending' || status === 'attempting'
  const isFailing = isOpen && answers.length > 0 && Math.floor((answers.at(-1) ?? 0) / 100) !== 2
  const facets = isFailing ? ['failing', endpointId] : [status, '']
  return { place: { id, createdAt, ordinal: nth }, facets }
}

function agrees<R>(list: ListedRecords<R>, facetted: readonly Facetted[], seq: number): void {
  const facet = seq % (facetted[0]?.facets.length ?? 1)
  for (const value of new Set(facetted.map(({ facets }) => facets[facet]))) {
    const matches = (facets: readonly (string | undefined)[]) => facets[facet] === value
    const expected = newestFirst(
      facetted.filter(({ facets }) => matches(facets)),
      ({ place }) => place,
    ).map(({ place }) => place.id)
    const places = [...list.below(FROM_THE_TOP, matches)]
    const found = places.map(({ id }) => id)
    must(found.join() === expected.join(), 'a list agrees with its records', { facet, value, found })
    must(list.count(matches) === expected.length, 'counts agree with the list', { facet, value })
    const [older, newer] = [seq % places.length, (3 * seq) % places.length].sort((a, b) => b - a)
    const part = list.count(matches, places[older ?? 0], places[newer ?? 0])
    must(part === (older ?? 0) - (newer ?? 0), 'counts of a part agree with it', { facet, value })
  }
}
