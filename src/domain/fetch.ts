import type { Command } from './commands.ts'
import type { Delivery } from './model.ts'
import { afterwards, type Coming, fetchAll, type Item, together } from './table.ts'
import { deliveryTimer, type Timer, timersOfPayment, timersOfPayout } from './timers.ts'
import type { World } from './world.ts'

/**
 * What a decision or a view needs of the records that are not in memory. It is fetched before, while other work goes on,
 * because decisions and views cannot wait. A record that is forgotten here is read synchronously when it is needed: all
 * other work waits for it, but the result is the same.
 */

/** By how the ids of a kind begin. */
const KINDS = new Map([
  ['pi', 'payments'],
  ['po', 'payouts'],
  ['dlv', 'deliveries'],
  ['evt', 'events'],
  ['ast', 'assets'],
] as const satisfies [string, keyof World][])

/** Of any text: it may be a part of a path. */
const kindOf = (id: string) => KINDS.get(id.slice(0, id.indexOf('_')) as Parameters<typeof KINDS.get>[0])

/** A record, and for a delivery also its event. */
export function fetchRecord(world: World, id: string): Coming {
  const kind = kindOf(id)
  if (kind !== 'deliveries') return kind && world[kind].fetch(id)
  return afterwards(world.deliveries.fetch(id), () => {
    const delivery = world.deliveries.get(id)
    return delivery && eventOf(world)(delivery)
  })
}

/** The event of a delivery. */
export const eventOf =
  ({ events }: World) =>
  ({ eventId }: Delivery): Coming =>
    events.fetch(eventId)

/** Several records, with their timers. */
export async function fetchEach(world: World, ids: Iterable<string>): Promise<void> {
  await Promise.all(Array.from(ids, id => fetchWithTimers(world, id)))
}

/** A record, and its timers. */
export const fetchWithTimers = (world: World, id: string): Coming =>
  afterwards(fetchRecord(world, id), () => {
    let coming: Coming
    for (const timer of timersOf(world, id)) coming = together(coming, world.timers.fetch(timer))
    return coming
  })

function timersOf(world: World, id: string): readonly string[] {
  switch (kindOf(id)) {
    case 'payments': {
      const payment = world.payments.get(id)
      return payment ? timersOfPayment(id, payment) : []
    }
    case 'payouts': {
      const payout = world.payouts.get(id)
      return payout ? timersOfPayout(id, payout) : []
    }
    case 'deliveries':
      return [deliveryTimer(id)]
    default:
      return []
  }
}

/** What a command decides about, and what then changes. */
export function fetchFor(world: World, command: Command): Coming {
  if (world.isInMemory) return undefined
  let coming: Coming
  if ('payment' in command) coming = fetchWithTimers(world, command.payment)
  else if ('delivery' in command) coming = fetchWithTimers(world, command.delivery)
  else if (command.type === 'MovePayout') coming = fetchWithTimers(world, command.payout)
  if ('image' in command && 'asset' in command.image)
    coming = together(coming, world.assets.fetch(command.image.asset))
  if ('idempotency' in command && command.idempotency)
    coming = together(coming, world.kept.fetch(command.idempotency.scope))
  // Any event may overtake them.
  for (const held of world.heldDeliveries.values()) coming = together(coming, fetchWithTimers(world, held))
  return mayEndDeliveries(command) ? together(coming, fetchOpenDeliveries(world)) : coming
}

const mayEndDeliveries = (command: Command) =>
  command.type === 'RemoveEndpoint' || (command.type === 'RecordAttempt' && command.result.status === 410)

function fetchOpenDeliveries({ openDeliveries, deliveries, timers }: World): Coming {
  const all: Promise<unknown>[] = []
  for (const id of openDeliveries) {
    const coming = together(deliveries.fetch(id), timers.fetch(deliveryTimer(id)))
    if (coming) all.push(coming)
  }
  return all.length > 0 ? Promise.all(all) : undefined
}

/** How many timers are fetched together, with what they change. */
const AHEAD = 128

/** The next timer, and what it changes. If they are not in memory, many that follow come with them. */
export function fetchNextTimer(world: World): Coming {
  if (world.isInMemory) return undefined
  const { nextItem } = world.timers
  const fetch = (items: readonly Item<Timer>[]) => fetchAll(items, ({ command }) => fetchFor(world, command))
  return nextItem && fetch([nextItem]) && fetch(world.timers.list(AHEAD))
}
