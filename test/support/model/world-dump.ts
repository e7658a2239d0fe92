import { isDeepStrictEqual } from 'node:util'
import { FROM_THE_TOP, type Position } from '../../../src/domain/list-index.ts'
import type { ListedRecords, Records } from '../../../src/domain/table.ts'
import type { World } from '../../../src/domain/world.ts'

/** The whole content of a world as plain data. */
export function dump(world: World) {
  const { payments, payouts, assets, kept, endpoints, events, deliveries, providerCalls } = world
  const maps = { payments, payouts, assets, kept, endpoints, events, deliveries, health: world.health }
  const references = new Set([...payouts.values()].map(({ merchantReference }) => merchantReference))
  return {
    seq: world.seq,
    at: world.at,
    ...Object.fromEntries(Object.entries(maps).map(([name, map]) => [name, [...map]])),
    providerCalls: [...providerCalls.values()],
    paymentShelves: shelves(world.payments),
    payoutShelves: shelves(world.payouts),
    deliveryShelves: shelves(world.deliveries),
    byReference: [...references].map(word => [word, idsOf(world.payouts.named(word, FROM_THE_TOP))]),
    timers: [...world.timers.items()].map(({ record }) => record),
    timerCount: world.timers.size,
    catalogue: world.catalogue?.data ?? null,
    rules: world.rules?.map(rule => rule.data) ?? null,
    ruleCounts: [...world.ruleCounts],
    faults: world.faults.data,
    faultCounts: [...world.faultCounts],
    heldDeliveries: [...world.heldDeliveries],
    openDeliveries: [...world.openDeliveries].sort(),
    clock: world.clock,
  }
}

const idsOf = (items: Iterable<{ readonly id: string }>) => [...items].map(({ id }) => id)

/** The positions in each combination of facets of a list, without empty combinations. */
function shelves(list: Pick<ListedRecords<unknown>, 'below' | 'count'>): [string, unknown][] {
  const facets = new Set<string>()
  list.count(shelf => {
    facets.add(shelf.join('|'))
    return false
  })
  const from: Position = FROM_THE_TOP
  return [...facets]
    .map((name): [string, string[]] => [name, idsOf(list.below(from, shelf => shelf.join('|') === name))])
    .filter(([, places]) => places.length > 0)
    .sort(([a], [b]) => (a < b ? -1 : 1))
}

/** What a refusal must not change. The answers that are stored for keys may change. */
export function snapshot(world: World): {
  readonly records: readonly unknown[]
  readonly kept: readonly unknown[]
} {
  const { payments, payouts, assets, endpoints, events, deliveries, health } = world
  const counts = [world.ruleCounts, world.faultCounts, world.heldDeliveries]
  const maps: readonly (ReadonlyMap<unknown, unknown> | Records<unknown>)[] = [
    payments,
    payouts,
    assets,
    endpoints,
    events,
    deliveries,
    health,
    ...counts,
  ]
  return {
    records: [
      ...maps.flatMap(map => [map.size, ...[...map].flat()]),
      world.providerCalls.size,
      ...[...world.timers.items()].map(({ record }) => record),
      ...idsOf(world.payments.below(FROM_THE_TOP, () => true)),
      ...idsOf(world.payouts.below(FROM_THE_TOP, () => true)),
      world.catalogue,
      world.rules,
      world.faults,
      world.clock,
    ],
    kept: [world.seq, world.at, ...[...world.kept].flat()],
  }
}

export const same = (a: readonly unknown[], b: readonly unknown[]) =>
  // What is on disk is another object each time that it is read.
  a.length === b.length && a.every((value, at) => Object.is(value, b[at]) || isDeepStrictEqual(value, b[at]))
