/** The timers that a payment can have. Setting one again moves it. */
export const PAYMENT_TIMERS = [
  'present-action',
  'withdraw-action',
  'receipt',
  'cancel',
  'outcome',
  'expire',
] as const
export const PAYOUT_TIMERS = ['approve', 'outcome'] as const

export type PaymentTimer = (typeof PAYMENT_TIMERS)[number]
export type PayoutTimer = (typeof PAYOUT_TIMERS)[number]

export const paymentTimer = (payment: string, kind: PaymentTimer) => `${payment}:${kind}`
export const payoutTimer = (payout: string, kind: PayoutTimer) => `${payout}:${kind}`
export const deliveryTimer = (delivery: string) => `${delivery}:attempt`
