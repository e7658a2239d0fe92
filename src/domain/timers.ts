import type { PaymentTrigger } from '../contract/statuses.ts'
import type { TimedCommand } from './commands.ts'
import type { DomainEvent } from './events.ts'
import { FROM_THE_BOTTOM, type Position } from './list-index.ts'
import type { Action, Delivery, Failure, Payment, Payout } from './model.ts'
import { type Item, type Stored, Table, type TableShape } from './table.ts'

/** Future work as data: it survives a restart and can be inspected. */
export interface Timer {
  readonly id: string
  readonly dueAt: number
  /** Timers that are due at the same time fire in the order in which they were set. */
  readonly ordinal: number
  readonly command: TimedCommand
}

export const TIMERS: TableShape<Timer> = {
  at: ({ dueAt }) => dueAt,
  ordinal: ({ ordinal }) => ordinal,
  facets: () => [],
}

export class Timers {
  readonly table: Table<Timer>
  /** How many were ever set. */
  ordinal = 0

  constructor(stored?: Stored<Timer>) {
    this.table = new Table(TIMERS, stored)
  }

  get size(): number {
    return this.table.size
  }

  get next(): Timer | undefined {
    return this.table.first?.record
  }

  get nextAt(): number | undefined {
    return this.table.first?.at
  }

  /** A timer that is set again with the same id replaces the earlier one. A new record has no stored timers. */
  set(id: string, dueAt: number, command: TimedCommand, ofNewRecord = false): void {
    this.clear(id, ofNewRecord)
    this.table.add(id, { id, dueAt, ordinal: ++this.ordinal, command })
  }

  clear(id: string, ofNewRecord = false): void {
    this.table.delete(id, ofNewRecord)
  }

  get(id: string): Timer | undefined {
    return this.table.get(id)
  }

  /** How many are due before a time. */
  dueBefore(at: number): number {
    return this.table.count(() => true, FROM_THE_BOTTOM, { at, ordinal: 0 })
  }

  /** In the order in which they are due, from a position on. */
  items(from?: Position): Iterable<Item<Timer>> {
    return this.table.items(from)
  }
}

/**
 * The timers that each record can have, each with the state of the record that it waits in. `TimerSet` sets a timer, or
 * moves it. It ends when it fires, or when its record leaves that state. No event reports that end: it would only
 * repeat the event that changed the record, and older journals have none.
 */
type TimersOf<R> = Readonly<Record<string, (record: R) => Action | boolean | null>>

const isOpen = ({ outcome }: Payment) => outcome === null

const OF_PAYMENT = {
  'present-action': ({ outcome, action }) => outcome === null && action === null,
  // An action that is presented again ends at a time of its own. One that lasts as long as the intent has no timer.
  'withdraw-action': ({ action, expiresAt }) => action !== null && action.expiresAt < expiresAt && action,
  // A check continues after the end of its payment.
  receipt: ({ receipt }) => receipt?.status === 'processing',
  cancel: ({ outcome, cancelRequestedAt }) => outcome === null && cancelRequestedAt !== null,
  outcome: payment => isOpen(payment) && payment.script.outcome !== 'manual',
  expire: isOpen,
} as const satisfies TimersOf<Payment>

const OF_PAYOUT = {
  approve: ({ status, script }) => status === 'requires_approval' && script.approval !== 'manual',
  outcome: ({ status, script }) => status === 'processing' && script.outcome !== 'manual',
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

/** A timer that executes the trigger in its name. */
export const triggerLater = (payment: string, trigger: PaymentTrigger & PaymentTimer, dueAt: number) =>
  moveLater(payment, trigger, dueAt, trigger)

/** A trigger that a timer will execute later. */
export function moveLater(
  payment: string,
  kind: PaymentTimer,
  dueAt: number,
  trigger: PaymentTrigger,
  failure?: Partial<Failure>,
): DomainEvent {
  return {
    type: 'TimerSet',
    timer: paymentTimer(payment, kind),
    dueAt,
    command: failure
      ? { type: 'MovePayment', payment, trigger, failure }
      : { type: 'MovePayment', payment, trigger },
  }
}
