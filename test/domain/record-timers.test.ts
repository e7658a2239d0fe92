import fc from 'fast-check'
import { expect, test } from 'vitest'
import { apply, type DeliveryEvent, type PaymentEvent, type PayoutEvent } from '../../src/domain/apply.ts'
import type { DomainEvent } from '../../src/domain/events.ts'
import type { Payment, Payout } from '../../src/domain/model.ts'
import { UNSCRIPTED_PAYMENT } from '../../src/domain/script.ts'
import {
  deliveryTimer,
  PAYMENT_TIMERS,
  PAYOUT_TIMERS,
  type PaymentTimer,
  type PayoutTimer,
  paymentTimer,
  payoutTimer,
} from '../../src/domain/timers.ts'
import { MutableWorld } from '../../src/domain/world.ts'

/** One event of each type: the compiler asks for a new one. */
type Samples<E extends DomainEvent> = { readonly [T in E['type']]: Extract<E, { type: T }> }

const [payment, payout, event, endpoint, delivery] = ['pi_1', 'po_1', 'evt_1', 'we_1', 'dlv_1']
const failure = { code: 'declined', message: 'Declined' }
const money = { amount: '5000', currency: 'THB', country: 'TH' }

const OF_PAYMENT: Samples<PaymentEvent> = {
  PaymentCreated: {
    type: 'PaymentCreated',
    payment,
    ...money,
    checkoutMode: 'merchant',
    merchantReference: null,
    customer: {},
    returnUrl: null,
    expiresAt: 90,
  },
  RouteFrozen: {
    type: 'RouteFrozen',
    payment,
    route: {
      id: 'route-1',
      provider: 'siam',
      localCode: 'LOCAL-1',
      method: 'transfer',
      action: 'redirect_to_url',
      actionAfterMs: 0,
      takesReceipt: true,
      cancelPending: true,
    },
    options: {},
    instrument: { type: 'redirect_to_url' },
    script: {
      ...UNSCRIPTED_PAYMENT,
      outcome: { afterMs: 7, status: 'succeeded', code: null, message: null },
    },
    expiresAt: 90,
    byPayer: false,
  },
  ActionPresented: { type: 'ActionPresented', payment, expiresAt: 50 },
  ActionWithdrawn: { type: 'ActionWithdrawn', payment },
  ReceiptSubmitted: { type: 'ReceiptSubmitted', payment, digest: 'd', asset: null },
  ReceiptAccepted: { type: 'ReceiptAccepted', payment },
  ReceiptRejected: { type: 'ReceiptRejected', payment, message: 'unreadable' },
  CancelRequested: { type: 'CancelRequested', payment },
  PaymentSucceeded: { type: 'PaymentSucceeded', payment },
  PaymentFailed: { type: 'PaymentFailed', payment, failure },
  PaymentExpired: { type: 'PaymentExpired', payment },
  PaymentCancelled: { type: 'PaymentCancelled', payment, outcome: 'failed', failure },
}

const OF_PAYOUT: Samples<PayoutEvent> = {
  PayoutCreated: {
    type: 'PayoutCreated',
    payout,
    ...money,
    merchantReference: 'order-1',
    recipient: { bankCode: 'bbl', holderName: 'Somchai', accountLast4: '1234' },
    status: 'requires_approval',
    script: {
      rule: null,
      approval: { afterMs: 7 },
      outcome: { afterMs: 7, status: 'succeeded', code: null, message: null },
    },
  },
  PayoutApproved: { type: 'PayoutApproved', payout },
  PayoutSucceeded: { type: 'PayoutSucceeded', payout },
  PayoutFailed: { type: 'PayoutFailed', payout, failure },
  PayoutCancelled: { type: 'PayoutCancelled', payout, reason: null },
}

const result = { status: 200, error: null, retryAfterMs: null, body: '', timestamp: 0, signature: '', at: 1 }
const OF_WEBHOOKS: Samples<DeliveryEvent> = {
  EventEmitted: { type: 'EventEmitted', event, name: 'payment.created', subject: { payment } },
  EndpointAdded: { type: 'EndpointAdded', endpoint, url: 'http://localhost/', events: null, secret: 's' },
  EndpointSecretsSet: { type: 'EndpointSecretsSet', endpoint, secrets: [] },
  EndpointDisabled: { type: 'EndpointDisabled', endpoint },
  EndpointRemoved: { type: 'EndpointRemoved', endpoint },
  DeliveryQueued: { type: 'DeliveryQueued', delivery, event, endpoint, dueAt: 5 },
  DeliveryMoved: { type: 'DeliveryMoved', delivery, dueAt: 9 },
  AttemptStarted: { type: 'AttemptStarted', delivery },
  AttemptEnded: { type: 'AttemptEnded', delivery, result, next: null },
}

const { PaymentCreated, ...laterOfPayment } = OF_PAYMENT
const { PayoutCreated, ...laterOfPayout } = OF_PAYOUT
const { EndpointAdded, EventEmitted, DeliveryQueued, ...laterOfWebhooks } = OF_WEBHOOKS
const LATER = [laterOfPayment, laterOfPayout, laterOfWebhooks].flatMap(samples =>
  Object.values<DomainEvent>(samples),
)

/** A world with a payment, a payout and a delivery. */
function aWorld() {
  const world = new MutableWorld()
  const happen = (...events: DomainEvent[]) =>
    apply(world, { v: 1, seq: world.seq + 1, at: world.seq, by: 'operator', events })
  happen(PaymentCreated, PayoutCreated, EndpointAdded, EventEmitted, DeliveryQueued)
  return { world, happen }
}

const ENDS: readonly string[] = ['succeeded', 'failed', 'expired', 'cancelled', 'delivered', 'dropped']
const statusIn = ({ payments, payouts, deliveries }: MutableWorld, id: string) =>
  payments.get(id)?.outcome ?? payouts.get(id)?.status ?? deliveries.get(id)?.status ?? 'open'

const isOpen = ({ outcome }: Payment) => outcome === null
/** When a decision can set each timer. */
const SET_WHILE: { readonly [T in PaymentTimer]: (payment: Payment) => boolean } = {
  'present-action': payment => isOpen(payment) && payment.action === null,
  'withdraw-action': ({ action }) => action !== null,
  receipt: ({ receipt }) => receipt?.status === 'processing',
  cancel: payment => isOpen(payment) && payment.cancelRequestedAt !== null,
  // None is set for a payment that waits for a person.
  outcome: payment => isOpen(payment) && payment.script.outcome !== 'manual',
  expire: isOpen,
}
const SET_IN: { readonly [T in PayoutTimer]: Payout['status'] } = {
  approve: 'requires_approval',
  outcome: 'processing',
}

/** Each timer that can be set now. */
function possibleTimers(world: MutableWorld): DomainEvent[] {
  const record = world.payments.get(payment)
  const status = statusIn(world, payout)
  return [
    ...PAYMENT_TIMERS.filter(kind => record && SET_WHILE[kind](record)).map(kind =>
      paymentTimer(payment, kind),
    ),
    ...PAYOUT_TIMERS.filter(kind => SET_IN[kind] === status).map(kind => payoutTimer(payout, kind)),
    ...(statusIn(world, delivery) === 'pending' ? [deliveryTimer(delivery)] : []),
  ].map(timer => ({ type: 'TimerSet', timer, dueAt: 7, command: { type: 'AttemptDelivery', delivery } }))
}

/** An attempt ends only after it has started, and nobody can act once a payment has ended. */
function isPossible(world: MutableWorld, { type }: DomainEvent): boolean {
  if (type === 'AttemptEnded') return statusIn(world, delivery) === 'attempting'
  return type !== 'ActionPresented' || statusIn(world, payment) === 'open'
}

test('a record that has ended has no timer, except for the verdict on a receipt in verification', () => {
  const property = fc.property(fc.array(fc.constantFrom(...LATER), { maxLength: 12 }), events => {
    const { world, happen } = aWorld()
    for (const next of events) {
      if (!isPossible(world, next)) continue
      happen(...possibleTimers(world), next)
      const ofEnded = [...world.timers.items()].filter(({ id }) =>
        ENDS.includes(statusIn(world, id.split(':')[0] ?? '')),
      )
      const isVerifying = world.payments.get(payment)?.receipt?.status === 'processing'
      const allowed = isVerifying ? [paymentTimer(payment, 'receipt')] : []
      expect(ofEnded.map(({ id }) => id).filter(id => !allowed.includes(id))).toEqual([])
    }
  })
  fc.assert(property)
})

test('presenting an action again clears the end of the first one', () => {
  const { world, happen } = aWorld()
  const timer = paymentTimer(payment, 'withdraw-action')
  const command = { type: 'MovePayment', payment, trigger: 'withdraw-action' } as const
  happen(OF_PAYMENT.ActionPresented, { type: 'TimerSet', timer, dueAt: 50, command })
  expect(world.timers.get(timer)?.dueAt).toBe(50)
  happen(OF_PAYMENT.ActionPresented)
  expect(world.timers.get(timer)).toBeUndefined()
})

test('a payment that continues keeps its expiry timer', () => {
  const { world, happen } = aWorld()
  const expiry = paymentTimer(payment, 'expire')
  happen(...possibleTimers(world))
  happen(
    OF_PAYMENT.RouteFrozen,
    OF_PAYMENT.ActionPresented,
    OF_PAYMENT.ReceiptSubmitted,
    OF_PAYMENT.CancelRequested,
  )
  expect(world.timers.get(expiry)?.dueAt).toBe(7)
})
