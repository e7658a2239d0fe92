import type { Contract } from '../contract/decisions.ts'
import {
  type DeliveryStatus,
  PAYOUT_TRIGGERS,
  type PaymentStatus,
  type PaymentTrigger,
  type PayoutStatus,
  type PayoutTrigger,
  type ReceiptStatus,
} from '../contract/statuses.ts'

/** Each state machine as a table: for each trigger, the statuses from which it is possible, and its target. */
export interface Move<S> {
  readonly from: readonly S[]
  readonly to: S
}

const OPEN: readonly PaymentStatus[] = ['pending', 'processing']

export const PAYMENT_MOVES = {
  'present-action': { from: ['processing'], to: 'pending' },
  'withdraw-action': { from: ['pending'], to: 'processing' },
  succeed: { from: OPEN, to: 'succeeded' },
  fail: { from: OPEN, to: 'failed' },
  expire: { from: OPEN, to: 'expired' },
} as const satisfies { readonly [T in PaymentTrigger]?: Move<PaymentStatus> }

export const RECEIPT_MOVES = {
  submit: { from: ['required', 'rejected'], to: 'processing' },
  'accept-receipt': { from: ['processing'], to: 'submitted' },
  'reject-receipt': { from: ['processing'], to: 'rejected' },
} as const satisfies { readonly [T in PaymentTrigger | 'submit']?: Move<ReceiptStatus> }

export const PAYOUT_MOVES = {
  approve: { from: ['requires_approval'], to: 'processing' },
  cancel: { from: ['requires_approval'], to: 'cancelled' },
  succeed: { from: ['processing'], to: 'succeeded' },
  fail: { from: ['processing'], to: 'failed' },
} as const satisfies { readonly [T in PayoutTrigger]: Move<PayoutStatus> }

/** A delivery is created as `pending`, or as `dropped` if a fault prevents it. */
export const DELIVERY_MOVES = {
  attempt: { from: ['pending'], to: 'attempting' },
  deliver: { from: ['attempting'], to: 'delivered' },
  retry: { from: ['attempting'], to: 'pending' },
  'give-up': { from: ['attempting'], to: 'failed' },
  'lose-endpoint': { from: ['pending'], to: 'failed' },
  redeliver: { from: ['pending', 'delivered', 'failed', 'dropped'], to: 'pending' },
} as const satisfies Record<string, Move<DeliveryStatus>>

const WHERE_TO: { readonly [T in Exclude<PaymentTrigger, 'confirm-cancel'>]: { readonly to: string } } = {
  ...PAYMENT_MOVES,
  'accept-receipt': RECEIPT_MOVES['accept-receipt'],
  'reject-receipt': RECEIPT_MOVES['reject-receipt'],
}

/** The status that a trigger leads to: of the receipt for a verdict, of the payment for all others. */
export const targetStatus = (trigger: PaymentTrigger, contract: Contract): string =>
  trigger === 'confirm-cancel' ? contract['payment.after_cancel'] : WHERE_TO[trigger].to

/** Exactly the triggers that would be accepted for a payout. */
export const possiblePayoutMoves = (status: PayoutStatus): PayoutTrigger[] =>
  PAYOUT_TRIGGERS.filter(trigger => allows(PAYOUT_MOVES[trigger], status))

export function allows<S>(move: Move<S>, status: S): boolean {
  return move.from.includes(status)
}
