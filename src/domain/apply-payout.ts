import type { DomainEvent, EventOf } from './events.ts'
import type { Payout } from './model.ts'
import { endPayoutTimers } from './record-timers.ts'
import { UNSCRIPTED_PAYOUT } from './script.ts'
import type { MutableWorld } from './world.ts'

export type PayoutEvent = Extract<DomainEvent, { payout: string }>

export function applyPayoutEvent(world: MutableWorld, event: PayoutEvent): void {
  if (event.type === 'PayoutCreated') return create(world, event)
  const payout = world.payouts.get(event.payout)
  if (!payout) throw new Error(`the journal names a payout that was never created: ${event.payout}`)
  const next = { ...payout, ...changes(event), updatedAt: lastChange(world, payout.sortKey), seq: world.seq }
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

function changes(event: Exclude<PayoutEvent, EventOf<'PayoutCreated'>>): Partial<Payout> {
  switch (event.type) {
    case 'PayoutApproved':
      return { status: 'processing' }
    case 'PayoutSucceeded':
      return { status: 'succeeded' }
    case 'PayoutFailed':
      return { status: 'failed', failure: event.failure }
    case 'PayoutCancelled':
      return { status: 'cancelled', cancelReason: event.reason }
  }
}
