import type { Action, Delivery, Payment, Payout } from './model.ts'
import type { Timers } from './timers.ts'

/**
 * The timers that each record can have, each with the state of the record that it waits in. `TimerSet` sets a timer, or
 * moves it. It ends when it fires, or when its record leaves that state. No event reports that end: it would only
 * repeat the event that changed the record, and older journals have none.
 */
type TimersOf<R> = Readonly<Record<string, (record: R) => Action | boolean | null>>

const isOpen = ({ outcome }: Payment) => outcome === null

const OF_PAYMENT = {
  'present-action': ({ outcome, action }) => outcome === null && action === null,
  // An action that is presented again ends at a time of its own.
  'withdraw-action': ({ action }) => action,
  // A check continues after the end of its payment.
  receipt: ({ receipt }) => receipt?.status === 'processing',
  cancel: ({ outcome, cancelRequestedAt }) => outcome === null && cancelRequestedAt !== null,
  outcome: isOpen,
  expire: isOpen,
} as const satisfies TimersOf<Payment>

const OF_PAYOUT = {
  approve: ({ status }) => status === 'requires_approval',
  outcome: ({ status }) => status === 'processing',
} as const satisfies TimersOf<Payout>

const OF_DELIVERY = {
  attempt: ({ status }) => status === 'pending',
} as const satisfies TimersOf<Delivery>

export type PaymentTimer = keyof typeof OF_PAYMENT
export type PayoutTimer = keyof typeof OF_PAYOUT

export const PAYMENT_TIMERS = Object.keys(OF_PAYMENT) as PaymentTimer[]
export const PAYOUT_TIMERS = Object.keys(OF_PAYOUT) as PayoutTimer[]

export const paymentTimer = (payment: string, kind: PaymentTimer) => `${payment}:${kind}`
export const payoutTimer = (payout: string, kind: PayoutTimer) => `${payout}:${kind}`
export const deliveryTimer = (delivery: string) => `${delivery}:attempt`

export const endPaymentTimers = endTimers(OF_PAYMENT)
export const endPayoutTimers = endTimers(OF_PAYOUT)
export const endDeliveryTimers = endTimers(OF_DELIVERY)

function endTimers<R>(table: TimersOf<R>) {
  const kinds = Object.entries(table)
  return (timers: Timers, id: string, before: R, after: R, isNew = false): void => {
    for (const [kind, waitsIn] of kinds) {
      const was = waitsIn(before)
      if (was && was !== waitsIn(after)) timers.clear(`${id}:${kind}`, isNew)
    }
  }
}
