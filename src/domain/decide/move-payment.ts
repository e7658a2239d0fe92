import { PAYMENT_TRIGGERS, type PaymentTrigger } from '../../contract/statuses.ts'
import { later } from '../../contract/timestamps.ts'
import type { CommandOf } from '../commands.ts'
import type { DomainEvent } from '../events.ts'
import { allows, PAYMENT_MOVES, RECEIPT_MOVES } from '../lifecycle.ts'
import { type Failure, type Payment, reasonToKeepAction, statusOf } from '../model.ts'
import { TRIGGERS } from '../script.ts'
import { moveLater } from '../timers.ts'
import type { World } from '../world.ts'
import { type Context, type Decision, happens, notFound, once, refuse } from './decision.ts'
import { emit } from './emit.ts'
import { outcomeTimer, presentAction } from './freeze-route.ts'

type Wording = Partial<Failure>

/** Executes a trigger of a provider, a payer or an operator. It comes from a timer, a page or the control surface. */
export function movePayment(
  world: World,
  { payment: id, trigger, failure = {} }: CommandOf<'MovePayment'>,
  context: Context,
): Decision {
  const payment = world.payments.get(id)
  if (!payment) return notFound('payment intent')
  const reason = whyNot(payment, trigger)
  if (reason !== null) return refuse('invalid_state', reason)
  return happens(id, move(world, payment, trigger, failure, context))
}

/** Exactly the triggers that would be accepted now. */
export const possibleMoves = (payment: Payment): PaymentTrigger[] =>
  PAYMENT_TRIGGERS.filter(trigger => whyNot(payment, trigger) === null)

/** Why this trigger is not possible; null if it is. */
function whyNot(payment: Payment, trigger: PaymentTrigger): string | null {
  const status = statusOf(payment)
  if (trigger === 'accept-receipt' || trigger === 'reject-receipt') {
    // A check in flight continues after the end of its payment, so the status of the payment does not matter.
    const receipt = payment.receipt?.status ?? 'none'
    if (payment.receipt !== null && allows(RECEIPT_MOVES[trigger], payment.receipt.status)) return null
    return `No receipt of this payment intent is being verified (receipt: ${receipt})`
  }
  if (payment.outcome !== null) return `The payment intent is ${status}, which is final`
  if (trigger === 'confirm-cancel')
    return payment.cancelRequestedAt === null ? 'No cancellation of this payment intent is in flight' : null
  if (!allows(PAYMENT_MOVES[trigger], status))
    return `${trigger} is not possible while the payment intent is ${status}`
  if (trigger === 'succeed' && payment.route === null)
    // Without a method there is no provider call that could succeed.
    return 'No method was chosen for this payment intent, so it cannot succeed yet; choose one first, on its page or with `paysim sim payments choose`'
  const kept = trigger === 'withdraw-action' ? reasonToKeepAction(payment) : null
  return kept === null ? null : `The action cannot be withdrawn: ${KEPT_FOR[kept]}`
}

const KEPT_FOR = {
  cancellation: 'a cancellation of this payment intent is in flight',
  receipt: 'a receipt of this payment intent is being verified',
  replacement: 'a rejected receipt of this payment intent waits for its replacement',
} as const

function move(
  world: World,
  payment: Payment,
  trigger: PaymentTrigger,
  wording: Wording,
  context: Context,
): readonly DomainEvent[] {
  const { id } = payment.sortKey
  const subject = { payment: id }
  const updated = () => emit(world, context, 'payment.updated', subject)
  switch (trigger) {
    case 'present-action': {
      const { checkoutMode, expiresAt, script, route } = payment
      const presented = { id, checkoutMode, expiresAt, script, takesReceipt: route?.takesReceipt ?? false }
      return [...presentAction(context, presented), ...updated()]
    }
    case 'withdraw-action':
      return [{ type: 'ActionWithdrawn', payment: id }, ...updated()]
    case 'accept-receipt':
      return [
        { type: 'ReceiptAccepted', payment: id },
        ...(payment.outcome === null ? afterReceipt(payment, context) : []),
        ...updated(),
      ]
    case 'reject-receipt':
      return [
        { type: 'ReceiptRejected', payment: id, message: wording.message ?? 'The receipt was rejected' },
        ...updated(),
      ]
    case 'succeed':
      return [
        { type: 'PaymentSucceeded', payment: id },
        ...emit(world, context, 'payment.succeeded', subject),
      ]
    case 'fail': {
      const failure = {
        code: wording.code ?? 'payment_failed',
        message: wording.message ?? 'The payment failed',
      }
      return [
        { type: 'PaymentFailed', payment: id, failure },
        ...emit(world, context, 'payment.failed', subject),
      ]
    }
    case 'expire':
      return [{ type: 'PaymentExpired', payment: id }, ...emit(world, context, 'payment.expired', subject)]
    case 'confirm-cancel':
      return [cancelled(id, wording, context), ...emit(world, context, 'payment.cancelled', subject)]
  }
}

/** Starts the timer of the scripted outcome. Ends an overdue action that was kept only because of the check. */
function afterReceipt(payment: Payment, context: Context): DomainEvent[] {
  const { id } = payment.sortKey
  const { action, cancelRequestedAt } = payment
  const isOverdue = action !== null && action.expiresAt <= context.at && cancelRequestedAt === null
  return [
    ...outcomeTimer(context, id, payment.script),
    ...(isOverdue ? [{ type: 'ActionWithdrawn', payment: id } as const] : []),
  ]
}

function cancelled(payment: string, wording: Wording, { contract }: Context): DomainEvent {
  const outcome = contract['payment.after_cancel']
  const failure = {
    code: wording.code ?? 'payment_cancelled',
    message: wording.message ?? 'The payment was cancelled',
  }
  return { type: 'PaymentCancelled', payment, outcome, failure: outcome === 'failed' ? failure : null }
}

/** Requests a cancellation. The provider answers later, and the payment stays pending until then. */
export function requestCancel(world: World, command: CommandOf<'RequestCancel'>, context: Context): Decision {
  const payment = world.payments.get(command.payment)
  if (!payment) return notFound('payment intent')
  return once(world, context, command.idempotency, 'payment', () => cancel(world, payment, context))
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
  const trigger = outcome === 'cancelled' ? 'confirm-cancel' : TRIGGERS[outcome]
  return [moveLater(id, 'cancel', later(at, afterMs), trigger)]
}
