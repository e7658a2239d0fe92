import { later } from '../../contract/timestamps.ts'
import type { Command } from '../commands.ts'
import type { DomainEvent } from '../events.ts'
import type { PaymentTrigger } from '../lifecycle.ts'
import { type Payment, statusOf } from '../model.ts'
import type { World } from '../world.ts'
import { type Context, type Decision, happens, notFound, refuse } from './decision.ts'
import { emit } from './emit.ts'
import { once } from './idempotency.ts'
import { moveLater } from './payment-timer.ts'

const SETTLES = {
  cancelled: 'confirm-cancel',
  succeeded: 'succeed',
  failed: 'fail',
  expired: 'expire',
} as const

/** Requests a cancellation. The provider answers later, and the payment stays pending until then. */
export function requestCancel(
  world: World,
  command: Extract<Command, { type: 'RequestCancel' }>,
  context: Context,
): Decision {
  const payment = world.payments.get(command.payment)
  if (!payment) return notFound('payment intent')
  return once(world, context, command.idempotency, () => cancel(world, payment, context))
}

function cancel(world: World, payment: Payment, context: Context): Decision {
  const { id } = payment.sortKey
  const { contract } = context
  const status = statusOf(payment)
  if (status !== 'pending')
    return refuse('invalid_state', `Only a pending payment intent can be cancelled; this one is ${status}`)
  // Already requested: a repeat is allowed in any later state, because the caller may have missed the answer.
  if (payment.cancelRequestedAt !== null) return happens(id, [])
  if (payment.receipt?.status === 'processing' && contract['cancel.during_receipt'] === 'refuse')
    return refuse('invalid_state', 'A receipt of this payment intent is being verified')
  const supported = payment.route ? payment.route.cancelPending : contract['cancel.no_route'] === 'cancel'
  if (!supported)
    return refuse('provider_capability_unsupported', 'This payment intent cannot be cancelled while pending')
  return happens(id, [
    { type: 'CancelRequested', payment: id },
    ...settlement(payment, context),
    ...emit(world, context, 'payment.updated', { payment: id }),
  ])
}

/** Without a route there is no provider to ask, so the payment ends at once. */
function settlement({ sortKey: { id }, route, script }: Payment, { at }: Context): DomainEvent[] {
  const { afterMs, outcome } = route ? script.cancel : { afterMs: 0, outcome: 'cancelled' as const }
  if (outcome === 'never') return []
  const trigger: PaymentTrigger = SETTLES[outcome]
  return [moveLater(id, 'cancel', later(at, afterMs), trigger)]
}
