import type { DeliveryStatus, PaymentStatus, PayoutStatus, ReceiptStatus } from './model.ts'

/**
 * Each state machine as a table: for each trigger, the statuses from which it is possible, and its target.
 */
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
} as const satisfies Record<string, Move<PaymentStatus>>

export const RECEIPT_MOVES = {
  submit: { from: ['required', 'rejected'], to: 'processing' },
  'accept-receipt': { from: ['processing'], to: 'submitted' },
  'reject-receipt': { from: ['processing'], to: 'rejected' },
} as const satisfies Record<string, Move<ReceiptStatus>>

export const PAYOUT_MOVES = {
  approve: { from: ['requires_approval'], to: 'processing' },
  cancel: { from: ['requires_approval'], to: 'cancelled' },
  succeed: { from: ['processing'], to: 'succeeded' },
  fail: { from: ['processing'], to: 'failed' },
} as const satisfies Record<string, Move<PayoutStatus>>

/** A delivery is created as `pending`, or as `dropped` if a fault prevents it. */
export const DELIVERY_MOVES = {
  attempt: { from: ['pending'], to: 'attempting' },
  deliver: { from: ['attempting'], to: 'delivered' },
  retry: { from: ['attempting'], to: 'pending' },
  'give-up': { from: ['attempting'], to: 'failed' },
  'lose-endpoint': { from: ['pending'], to: 'failed' },
  redeliver: { from: ['pending', 'delivered', 'failed', 'dropped'], to: 'pending' },
} as const satisfies Record<string, Move<DeliveryStatus>>

/** What a provider, a payer or an operator can make happen to a payment. */
export type PaymentTrigger =
  | keyof typeof PAYMENT_MOVES
  | Exclude<keyof typeof RECEIPT_MOVES, 'submit'>
  | 'confirm-cancel'
export const PAYMENT_TRIGGERS: readonly PaymentTrigger[] = [
  'present-action',
  'withdraw-action',
  'succeed',
  'fail',
  'expire',
  'accept-receipt',
  'reject-receipt',
  'confirm-cancel',
]

export type PayoutTrigger = keyof typeof PAYOUT_MOVES

export function allows<S>(move: Move<S>, status: S): boolean {
  return move.from.includes(status)
}
