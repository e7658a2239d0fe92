import type { Why } from '../../contract/control/timeline.ts'
import { possibleMoves } from '../../domain/decide/move-payment.ts'
import type { Entry } from '../../domain/events.ts'
import { possiblePayoutMoves } from '../../domain/lifecycle.ts'
import type { Delivery, Payment } from '../../domain/model.ts'
import { routingTable } from '../../domain/routing.ts'
import { type ForeseenRule, foreseeRule, simplestMethod } from '../../domain/rules/consult.ts'
import { upcomingMoves } from '../../domain/upcoming-moves.ts'
import type { Surroundings } from '../../domain/why/answer.ts'
import { type DeliveryFacts, whyDelivery } from '../../domain/why/delivery.ts'
import { whyPayment } from '../../domain/why/payment.ts'
import { whyPayout } from '../../domain/why/payout.ts'
import type { Webhook } from '../../domain/why/webhooks.ts'
import type { World } from '../../domain/world.ts'
import type { AccountRuntime } from './open-runtime.ts'

/** Why a payment, a payout or a delivery is as it is now. `entries` are those of the record. */
export function whyRecord(runtime: AccountRuntime, id: string, entries: readonly Entry[]): Why | undefined {
  const { account } = runtime
  const { world, now, clock } = account
  const payment = world.payments.get(id)
  const payout = world.payouts.get(id)
  const delivery = world.deliveries.get(id)
  const coming = upcomingMoves(world, now, id, delivery ? [id] : [])
  const surroundings = { account: account.id, now, clock: clock.mode, coming, entries }
  if (payment) return whyPaymentOf(runtime, payment, surroundings)
  if (delivery) return whyDeliveryOf(runtime, delivery, surroundings)
  if (!payout) return undefined
  return whyPayout(payout, { ...surroundings, triggers: possiblePayoutMoves(payout.status) })
}

function whyPaymentOf(runtime: AccountRuntime, payment: Payment, surroundings: Surroundings) {
  const { account } = runtime
  const table = routingTable(account.world, runtime)
  const isOpen = payment.route === null && payment.action !== null
  const { environment } = account
  const foreseen: ForeseenRule = isOpen
    ? foreseeRule(account.world, runtime.rules, payment, { environment, table })
    : { is: 'none' }
  return whyPayment(payment, {
    ...surroundings,
    foreseen,
    method: isOpen ? simplestMethod({ environment, table }, payment) : null,
    triggers: possibleMoves(payment),
    webhooks: webhooksIn(runtime, surroundings),
  })
}

/** The deliveries that the entries of a record have begun. */
function webhooksIn({ account: { world } }: AccountRuntime, surroundings: Surroundings): Webhook[] {
  const queued = deliveriesIn(surroundings.entries).flatMap(id => world.deliveries.get(id) ?? [])
  return queued.map(delivery => ({
    event: world.events.get(delivery.eventId)?.type ?? 'an event that is no longer kept',
    why: whyDelivery(delivery, deliveryFacts(world, delivery, { ...surroundings, coming: [], entries: [] })),
  }))
}

export function deliveriesIn(entries: readonly Entry[]): string[] {
  const queued = entries.flatMap(({ events }) =>
    events.flatMap(event => (event.type === 'DeliveryQueued' ? [event.delivery] : [])),
  )
  return [...new Set(queued)]
}

function whyDeliveryOf(
  { account: { world } }: AccountRuntime,
  delivery: Delivery,
  surroundings: Surroundings,
) {
  return whyDelivery(delivery, deliveryFacts(world, delivery, surroundings))
}

function deliveryFacts(world: World, delivery: Delivery, surroundings: Surroundings): DeliveryFacts {
  const endpoint = world.endpoints.get(delivery.endpointId)
  return {
    ...surroundings,
    eventType: world.events.get(delivery.eventId)?.type ?? null,
    endpoint: endpoint === undefined ? 'removed' : endpoint.disabled ? 'disabled' : 'there',
    held: world.heldDeliveries.get(delivery.endpointId) === delivery.id,
  }
}
