import { LIMITS } from '../contract/limits.ts'
import { indexCatalogue } from './catalogue.ts'
import type { DomainEvent, Entry, EventOf } from './events.ts'
import { continuedWebhookFaults, replaceFaults } from './faults.ts'
import { allows, DELIVERY_MOVES } from './lifecycle.ts'
import { continueCounts, countMatch } from './match-limits.ts'
import {
  type Delivery,
  isSuccess,
  type Payment,
  type Payout,
  type ProviderCall,
  type WebhookEndpoint,
  type WebhookEvent,
} from './model.ts'
import { newPayment } from './payment-record.ts'
import { compileRule } from './rules/rule.ts'
import { UNSCRIPTED_PAYMENT, UNSCRIPTED_PAYOUT } from './script.ts'
import { endDeliveryTimers, endPaymentTimers, endPayoutTimers } from './timers.ts'
import type { MutableWorld } from './world.ts'

/** The only code that changes a world. It does not check events, because `decide` has checked everything. */
export function apply(world: MutableWorld, entry: Entry): void {
  world.seq = entry.seq
  if (entry.by !== 'courier') world.moves += 1
  world.at = entry.at
  for (const event of entry.events) applyEvent(world, event)
}

function applyEvent(world: MutableWorld, event: DomainEvent): void {
  switch (event.type) {
    case 'PaymentCreated':
    case 'RouteFrozen':
    case 'ActionPresented':
    case 'ActionWithdrawn':
    case 'ReceiptSubmitted':
    case 'ReceiptAccepted':
    case 'ReceiptRejected':
    case 'CancelRequested':
    case 'PaymentSucceeded':
    case 'PaymentFailed':
    case 'PaymentExpired':
    case 'PaymentCancelled':
      return applyPaymentEvent(world, event)
    case 'PayoutCreated':
    case 'PayoutApproved':
    case 'PayoutSucceeded':
    case 'PayoutFailed':
    case 'PayoutCancelled':
      return applyPayoutEvent(world, event)
    case 'EventEmitted':
    case 'EndpointAdded':
    case 'EndpointSecretsSet':
    case 'EndpointDisabled':
    case 'EndpointRemoved':
    case 'DeliveryQueued':
    case 'DeliveryMoved':
    case 'AttemptStarted':
    case 'AttemptEnded':
      return applyDeliveryEvent(world, event)
    case 'AssetStored': {
      const { asset: id, kind, digest, size, contentType } = event
      world.assets.add(id, { id, kind, digest, size, contentType, paymentId: null, createdAt: world.at })
      return
    }
    case 'AnswerKept':
      return keepAnswer(world, event)
    case 'TimerSet':
      return world.timers.set(event.timer, event.dueAt, event.command, isOfNewPayment(world, event))
    case 'TimerFired':
      return world.timers.clear(event.timer)
    case 'RulesReplaced':
      world.rules = event.rules?.map(compileRule) ?? null
      world.ruleCounts = continueCounts(world.ruleCounts, event.continued)
      return
    case 'RulesPutInFront':
      world.rules = [
        ...event.rules.map(compileRule),
        ...(world.rules ?? event.standard?.map(compileRule) ?? []),
      ]
      world.ruleCounts = new Map([...world.ruleCounts].map(([at, count]) => [at + event.rules.length, count]))
      return
    case 'RulesConsulted':
      return countMatch(world.ruleCounts, event)
    case 'FaultsReplaced':
      world.faultCounts = continueCounts(
        world.faultCounts,
        continuedWebhookFaults(world.faults.data, event.faults, event.continued),
      )
      world.faults = replaceFaults(world.faults, event.faults, event.continued, world.at)
      return
    case 'FaultsCounted':
      return countMatch(world.faultCounts, event)
    case 'CatalogueReplaced':
      world.catalogue = indexCatalogue(event.catalogue)
      world.health.clear()
      return
    case 'ProviderHealthSet':
      world.health.set(event.provider, event.healthy)
      return
    case 'ClockSet':
      world.clock = event.clock
      return
    default:
      return event satisfies never
  }
}

const isOfNewPayment = (world: MutableWorld, { command }: EventOf<'TimerSet'>) =>
  'payment' in command && world.payments.isNew(command.payment)

function keepAnswer(world: MutableWorld, { scope, fingerprint, answer }: EventOf<'AnswerKept'>): void {
  world.kept.deleteBefore(world.at - LIMITS.idempotencyWindowMs + 1)
  const kept = 'code' in answer ? answer : recordIn(world, answer)
  if (!kept) throw new Error(`the journal keeps an answer for ${scope} without its record`)
  world.kept.delete(scope)
  world.kept.add(scope, { fingerprint, at: world.at, answer: kept, seq: world.seq })
}

function recordIn(world: MutableWorld, answer: { payment: string } | { payout: string }) {
  if ('payment' in answer) {
    const payment = world.payments.get(answer.payment)
    return payment && { payment }
  }
  const payout = world.payouts.get(answer.payout)
  return payout && { payout }
}

/** A record that nobody else has yet. */
type Mutable<T> = { -readonly [M in keyof T]: T[M] }

export type PaymentEvent = Extract<DomainEvent, { payment: string }>

function applyPaymentEvent(world: MutableWorld, event: PaymentEvent): void {
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
  changePayment(next, world, event)
  world.payments.set(event.payment, next)
  endPaymentTimers(world.timers, event.payment, payment, next, world.payments.isNew(event.payment))
}

function changePayment(
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

export type PayoutEvent = Extract<DomainEvent, { payout: string }>

function applyPayoutEvent(world: MutableWorld, event: PayoutEvent): void {
  if (event.type === 'PayoutCreated') return create(world, event)
  const payout = world.payouts.get(event.payout)
  if (!payout) throw new Error(`the journal names a payout that was never created: ${event.payout}`)
  const next: Mutable<Payout> = { ...payout }
  next.updatedAt = lastChange(world, payout.sortKey)
  next.seq = world.seq
  changePayout(next, event)
  world.payouts.set(event.payout, next)
  endPayoutTimers(world.timers, event.payout, payout, next)
}

function create(world: MutableWorld, event: EventOf<'PayoutCreated'>): void {
  const place = { id: event.payout, createdAt: event.createdAt ?? world.at, ordinal: world.seq }
  const { amount, currency, country, merchantReference, recipient, status } = event
  const payout: Payout = {
    sortKey: place,
    amount,
    currency,
    country,
    merchantReference,
    recipient,
    script: event.script ?? UNSCRIPTED_PAYOUT,
    status,
    failure: null,
    cancelReason: null,
    updatedAt: place.createdAt,
    seq: world.seq,
  }
  world.payouts.add(event.payout, payout)
}

/** A payout may be created with a creation time in the future. */
const lastChange = ({ at }: MutableWorld, { createdAt }: Payout['sortKey']) => Math.max(at, createdAt)

function changePayout(payout: Mutable<Payout>, event: Exclude<PayoutEvent, EventOf<'PayoutCreated'>>): void {
  switch (event.type) {
    case 'PayoutApproved':
      payout.status = 'processing'
      return
    case 'PayoutSucceeded':
      payout.status = 'succeeded'
      return
    case 'PayoutFailed':
      payout.status = 'failed'
      payout.failure = event.failure
      return
    case 'PayoutCancelled':
      payout.status = 'cancelled'
      payout.cancelReason = event.reason
  }
}

export type DeliveryEvent = Extract<
  DomainEvent,
  {
    type:
      | 'EventEmitted'
      | 'EndpointAdded'
      | 'EndpointSecretsSet'
      | 'EndpointDisabled'
      | 'EndpointRemoved'
      | 'DeliveryQueued'
      | 'DeliveryMoved'
      | 'AttemptStarted'
      | 'AttemptEnded'
  }
>

function applyDeliveryEvent(world: MutableWorld, event: DeliveryEvent): void {
  switch (event.type) {
    case 'EventEmitted': {
      const { event: id, name: type, subject } = event
      world.events.add(id, {
        id,
        type,
        at: world.at,
        subject: snapshot(world, subject),
        body: null,
        seq: world.seq,
      })
      return
    }
    case 'EndpointAdded': {
      const { endpoint: id, url, events, secret } = event
      const secrets = [{ secret, endsAt: null }]
      world.endpoints.set(id, { id, url, events, secrets, disabled: false, createdAt: world.at })
      return
    }
    case 'EndpointSecretsSet':
      return changeEndpoint(world, event.endpoint, { secrets: event.secrets })
    case 'EndpointDisabled':
      changeEndpoint(world, event.endpoint, { disabled: true })
      return giveUp(world, event.endpoint)
    case 'EndpointRemoved':
      world.endpoints.delete(event.endpoint)
      return giveUp(world, event.endpoint)
    case 'DeliveryQueued':
      return queue(world, event)
    case 'DeliveryMoved':
      return changeDelivery(world, event.delivery, delivery => {
        delivery.status = DELIVERY_MOVES.redeliver.to
        delivery.nextAttemptAt = event.dueAt
      })
    case 'AttemptStarted':
      release(world, event.delivery)
      if (event.body !== undefined) keepBody(world, event.delivery, event.body)
      return changeDelivery(world, event.delivery, delivery => {
        delivery.status = DELIVERY_MOVES.attempt.to
        delivery.attempts = [...delivery.attempts, { startedAt: world.at, result: null }]
        delivery.nextAttemptAt = null
      })
    case 'AttemptEnded':
      return changeDelivery(world, event.delivery, delivery => {
        const { startedAt } = lastAttempt(delivery)
        delivery.status = DELIVERY_MOVES[endOfAttempt(event)].to
        delivery.attempts = delivery.attempts.with(-1, { startedAt, result: event.result })
        delivery.nextAttemptAt = event.next
      })
  }
}

const endOfAttempt = ({ result, next }: EventOf<'AttemptEnded'>) =>
  isSuccess(result.status) ? 'deliver' : next === null ? 'give-up' : 'retry'

function lastAttempt(delivery: Delivery) {
  const attempt = delivery.attempts.at(-1)
  if (!attempt) throw new Error(`the journal ends an attempt that never started: ${delivery.id}`)
  return attempt
}

function snapshot(world: MutableWorld, subject: EventOf<'EventEmitted'>['subject']): WebhookEvent['subject'] {
  if ('payment' in subject) {
    const payment = world.payments.get(subject.payment)
    if (payment) return { payment }
  } else if ('data' in subject) return { data: subject.data }
  else {
    const payout = world.payouts.get(subject.payout)
    if (payout) return { payout }
  }
  throw new Error('the journal emits an event about a record that was never created')
}

function queue(world: MutableWorld, event: EventOf<'DeliveryQueued'>): void {
  const { delivery: id, event: eventId, endpoint: endpointId, dueAt, fault = null, holdMs } = event
  world.deliveries.add(id, {
    id,
    eventId,
    endpointId,
    url: world.endpoints.get(endpointId)?.url ?? '',
    status: dueAt === null ? 'dropped' : 'pending',
    attempts: [],
    fault,
    ...(holdMs === undefined ? {} : { holdMs }),
    nextAttemptAt: dueAt,
    createdAt: world.at,
    seq: world.seq,
  })
  if (dueAt !== null) world.openDeliveries.add(id)
  if (fault === 'reorder') world.heldDeliveries.set(endpointId, id)
  else world.heldDeliveries.delete(endpointId)
}

/** An event that is being sent no longer waits for another one to overtake it. */
function release({ heldDeliveries }: MutableWorld, id: string): void {
  for (const [endpoint, held] of heldDeliveries) if (held === id) heldDeliveries.delete(endpoint)
}

function changeDelivery(world: MutableWorld, id: string, edit: (delivery: Mutable<Delivery>) => void): void {
  const delivery = world.deliveries.get(id)
  if (!delivery) throw new Error(`the journal names a delivery that was never queued: ${id}`)
  const next: Mutable<Delivery> = { ...delivery }
  edit(next)
  next.seq = world.seq
  world.deliveries.set(id, next)
  if (isOpen(next)) world.openDeliveries.add(id)
  else world.openDeliveries.delete(id)
  endDeliveryTimers(world.timers, id, delivery, next)
}

function keepBody(world: MutableWorld, delivery: string, body: string): void {
  const event = world.events.get(world.deliveries.get(delivery)?.eventId ?? '')
  if (!event) throw new Error(`the journal sends an event that was never emitted, with delivery ${delivery}`)
  world.events.set(event.id, { ...event, body })
}

const isOpen = ({ status }: Delivery) => status === 'pending' || status === 'attempting'

function changeEndpoint(world: MutableWorld, id: string, changes: Partial<WebhookEndpoint>): void {
  const endpoint = world.endpoints.get(id)
  if (endpoint) world.endpoints.set(id, { ...endpoint, ...changes })
}

const LOSE_ENDPOINT = DELIVERY_MOVES['lose-endpoint']

/** A removed or disabled endpoint receives no more events. */
function giveUp(world: MutableWorld, endpoint: string): void {
  for (const id of world.openDeliveries) {
    const delivery = world.deliveries.get(id)
    if (delivery?.endpointId !== endpoint || !allows(LOSE_ENDPOINT, delivery.status)) continue
    changeDelivery(world, delivery.id, lost => {
      lost.status = LOSE_ENDPOINT.to
      lost.nextAttemptAt = null
    })
  }
}
