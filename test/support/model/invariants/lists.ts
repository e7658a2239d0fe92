import { FROM_THE_TOP, type Position } from '../../../../src/domain/list-index.ts'
import { type PayoutQuery, pageOfPayouts, positionOf } from '../../../../src/domain/list-payouts.ts'
import type { Payout, SortKey } from '../../../../src/domain/model.ts'
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
    listsPayments(world)
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

function listsPayments({ payments, seq }: Machine['world']): void {
  const facet = seq % 4
  const facetsOf = new Map(
    [...payments].map(([id, payment]) => {
      const status = payment.outcome ?? (payment.action ? 'pending' : 'processing')
      return [id, [status, payment.checkoutMode, payment.route?.method ?? '', payment.currency]]
    }),
  )
  for (const value of new Set([...facetsOf.values()].map(facets => facets[facet]))) {
    const matches = (facets: readonly (string | undefined)[]) => facets[facet] === value
    const expected = newestFirst(
      [...payments.values()].filter(({ sortKey: place }) => matches(facetsOf.get(place.id) ?? [])),
      payment => payment.sortKey,
    ).map(({ sortKey: place }) => place.id)
    const found = [...payments.below(FROM_THE_TOP, matches)].map(({ id }) => id)
    must(found.join() === expected.join(), 'the list of payments agrees with its records', {
      facet,
      value,
      found,
    })
    must(payments.count(matches) === expected.length, 'counts agree with the list', { facet, value })
    const places = [...payments.below(FROM_THE_TOP, matches)]
    const [older, newer] = [seq % places.length, (3 * seq) % places.length].sort((a, b) => b - a)
    const part = payments.count(matches, places[older ?? 0], places[newer ?? 0])
    must(part === (older ?? 0) - (newer ?? 0), 'counts of a part agree with it', { facet, value })
  }
}
