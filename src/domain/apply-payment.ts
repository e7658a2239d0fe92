import type { DomainEvent, EventOf } from './events.ts'
import { methodOf, type Payment, statusOf, type TerminalStatus } from './model.ts'
import { UNSCRIPTED_PAYMENT } from './script.ts'
import { PAYMENT_TIMERS, paymentTimer } from './timer-names.ts'
import type { MutableWorld } from './world.ts'

export type PaymentEvent = Extract<DomainEvent, { payment: string }>

/** The filters of the payment list that have an index. */
const paymentFacets = (payment: Payment): string[] => [
  statusOf(payment),
  payment.checkoutMode,
  methodOf(payment) ?? '',
  payment.currency,
]

export function applyPaymentEvent(world: MutableWorld, event: PaymentEvent): void {
  if (event.type === 'PaymentCreated') return create(world, event)
  const payment = world.payments.get(event.payment)
  if (!payment) throw new Error(`the journal names a payment that was never created: ${event.payment}`)
  const next = { ...payment, ...changes(world, payment, event), updatedAt: world.at, seq: world.seq }
  world.payments.set(event.payment, next)
  const [from, to] = [paymentFacets(payment), paymentFacets(next)]
  if (from.some((facet, at) => facet !== to[at])) world.paymentList.move(payment.sortKey, from, to)
}

function create(world: MutableWorld, event: EventOf<'PaymentCreated'>): void {
  const place = { id: event.payment, createdAt: world.at, ordinal: world.seq }
  const payment: Payment = {
    sortKey: place,
    amount: event.amount,
    currency: event.currency,
    country: event.country,
    checkoutMode: event.checkoutMode,
    merchantReference: event.merchantReference,
    customer: event.customer,
    options: {},
    returnUrl: event.returnUrl,
    methodGiven: false,
    route: null,
    instrument: null,
    script: UNSCRIPTED_PAYMENT,
    outcome: null,
    cancelled: false,
    failure: null,
    action: null,
    receipt: null,
    cancelRequestedAt: null,
    expiresAt: event.expiresAt,
    updatedAt: world.at,
    seq: world.seq,
  }
  world.payments.set(event.payment, payment)
  world.paymentList.add(place, paymentFacets(payment))
}

function changes(
  world: MutableWorld,
  payment: Payment,
  event: Exclude<PaymentEvent, EventOf<'PaymentCreated'>>,
): Partial<Payment> {
  const id = event.payment
  switch (event.type) {
    case 'RouteFrozen':
      world.providerCalls.push({ at: world.at, call: 'start', paymentId: id, route: event.route.id })
      return freezeRoute(payment, event)
    case 'ActionPresented':
      world.timers.clear(paymentTimer(id, 'present-action'))
      // If the page was open already, its old expiry no longer applies.
      world.timers.clear(paymentTimer(id, 'withdraw-action'))
      return { action: { presentedAt: world.at, expiresAt: event.expiresAt } }
    case 'ActionWithdrawn':
      world.timers.clear(paymentTimer(id, 'withdraw-action'))
      return { action: null }
    case 'ReceiptSubmitted':
      return submitReceipt(world, payment, event)
    case 'ReceiptAccepted':
      world.timers.clear(paymentTimer(id, 'receipt'))
      return payment.receipt ? { receipt: { ...payment.receipt, status: 'submitted' } } : {}
    case 'ReceiptRejected':
      world.timers.clear(paymentTimer(id, 'receipt'))
      return payment.receipt
        ? { receipt: { ...payment.receipt, status: 'rejected', rejection: event.message } }
        : {}
    case 'CancelRequested':
      if (payment.route)
        world.providerCalls.push({ at: world.at, call: 'cancel', paymentId: id, route: payment.route.id })
      return { cancelRequestedAt: world.at }
    case 'PaymentSucceeded':
      return settle(world, id, 'succeeded')
    case 'PaymentFailed':
      return { ...settle(world, id, 'failed'), failure: event.failure }
    case 'PaymentExpired':
      return settle(world, id, 'expired')
    case 'PaymentCancelled':
      return { ...settle(world, id, event.outcome), cancelled: true, failure: event.failure }
  }
}

function freezeRoute(payment: Payment, event: EventOf<'RouteFrozen'>): Partial<Payment> {
  const { route, options, instrument, script, expiresAt, byPayer, customer } = event
  return {
    route,
    options,
    instrument,
    expiresAt,
    script: script ?? UNSCRIPTED_PAYMENT,
    methodGiven: !byPayer,
    customer: customer ?? payment.customer,
    receipt: route.takesReceipt
      ? { status: 'required', submissions: 0, digest: null, assetId: null, rejection: null }
      : null,
  }
}

function submitReceipt(
  world: MutableWorld,
  payment: Payment,
  { payment: id, digest, asset: assetId }: EventOf<'ReceiptSubmitted'>,
): Partial<Payment> {
  const asset = assetId === null ? undefined : world.assets.get(assetId)
  if (asset) world.assets.set(asset.id, { ...asset, paymentId: id })
  const route = payment.route?.id ?? ''
  world.providerCalls.push({ at: world.at, call: 'submit_receipt', paymentId: id, route, digest })
  const submissions = (payment.receipt?.submissions ?? 0) + 1
  return { receipt: { status: 'processing', submissions, digest, assetId, rejection: null } }
}

/** A final status clears all timers, except for the verdict on a receipt that is being checked. */
function settle(world: MutableWorld, id: string, outcome: TerminalStatus): Partial<Payment> {
  for (const timer of PAYMENT_TIMERS) if (timer !== 'receipt') world.timers.clear(paymentTimer(id, timer))
  return { outcome, action: null }
}
