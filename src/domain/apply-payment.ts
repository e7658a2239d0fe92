import type { DomainEvent, EventOf } from './events.ts'
import type { Payment, ProviderCall } from './model.ts'
import { newPayment } from './payment-record.ts'
import { endPaymentTimers } from './record-timers.ts'
import { UNSCRIPTED_PAYMENT } from './script.ts'
import type { MutableWorld } from './world.ts'

/** A record that nobody else has yet. */
type Mutable<T> = { -readonly [M in keyof T]: T[M] }

export type PaymentEvent = Extract<DomainEvent, { payment: string }>

export function applyPaymentEvent(world: MutableWorld, event: PaymentEvent): void {
  if (event.type === 'PaymentCreated') {
    world.payments.add(event.payment, newPayment(event, world))
    return
  }
  const payment = world.payments.get(event.payment)
  if (!payment) throw new Error(`the journal names a payment that was never created: ${event.payment}`)
  // A whole copy is fast, and so is setting its members; merging two objects into a third one is not.
  const next: Mutable<Payment> = { ...payment }
  next.updatedAt = world.at
  next.seq = world.seq
  change(next, world, event)
  world.payments.set(event.payment, next)
  endPaymentTimers(world.timers, event.payment, payment, next, world.payments.isNew(event.payment))
}

function change(
  payment: Mutable<Payment>,
  world: MutableWorld,
  event: Exclude<PaymentEvent, EventOf<'PaymentCreated'>>,
): void {
  const id = event.payment
  switch (event.type) {
    case 'RouteFrozen':
      noteCall(world, { at: world.at, call: 'start', paymentId: id, route: event.route.id })
      return freezeRoute(payment, event)
    case 'ActionPresented':
      payment.action = { presentedAt: world.at, expiresAt: event.expiresAt }
      return
    case 'ActionWithdrawn':
      payment.action = null
      return
    case 'ReceiptSubmitted':
      return submitReceipt(payment, world, event)
    case 'ReceiptAccepted':
      if (payment.receipt) payment.receipt = { ...payment.receipt, status: 'submitted' }
      return
    case 'ReceiptRejected':
      if (payment.receipt)
        payment.receipt = { ...payment.receipt, status: 'rejected', rejection: event.message }
      return
    case 'CancelRequested':
      if (payment.route)
        noteCall(world, { at: world.at, call: 'cancel', paymentId: id, route: payment.route.id })
      payment.cancelRequestedAt = world.at
      return
    case 'PaymentSucceeded':
      return end(payment, 'succeeded')
    case 'PaymentFailed':
      payment.failure = event.failure
      return end(payment, 'failed')
    case 'PaymentExpired':
      return end(payment, 'expired')
    case 'PaymentCancelled':
      payment.cancelled = true
      payment.failure = event.failure
      return end(payment, event.outcome)
  }
}

function end(payment: Mutable<Payment>, outcome: Payment['outcome']): void {
  payment.outcome = outcome
  payment.action = null
}

function noteCall(world: MutableWorld, call: ProviderCall): void {
  world.providerCalls.add(String(world.providerCalls.size + 1), call)
}

function freezeRoute(payment: Mutable<Payment>, event: EventOf<'RouteFrozen'>): void {
  const { route, options, instrument, script, expiresAt, byPayer, customer } = event
  payment.route = route
  payment.options = options
  payment.instrument = instrument
  payment.expiresAt = expiresAt
  payment.script = script ?? UNSCRIPTED_PAYMENT
  payment.methodGiven = !byPayer
  if (customer) payment.customer = customer
  payment.receipt = route.takesReceipt
    ? { status: 'required', submissions: 0, digest: null, assetId: null, rejection: null }
    : null
}

function submitReceipt(
  payment: Mutable<Payment>,
  world: MutableWorld,
  { payment: id, digest, asset: assetId }: EventOf<'ReceiptSubmitted'>,
): void {
  const asset = assetId === null ? undefined : world.assets.get(assetId)
  if (asset) world.assets.set(asset.id, { ...asset, paymentId: id })
  const route = payment.route?.id ?? ''
  noteCall(world, { at: world.at, call: 'submit_receipt', paymentId: id, route, digest })
  const submissions = (payment.receipt?.submissions ?? 0) + 1
  payment.receipt = { status: 'processing', submissions, digest, assetId, rejection: null }
}
