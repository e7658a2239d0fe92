/** One timer of a kind for a record: setting it again moves it. */
export type PaymentTimer = 'present-action' | 'withdraw-action' | 'receipt' | 'cancel' | 'outcome' | 'expire'

export const paymentTimer = (payment: string, kind: PaymentTimer) => `${payment}:${kind}`
export const payoutTimer = (payout: string, kind: 'approve' | 'outcome') => `${payout}:${kind}`
export const deliveryTimer = (delivery: string) => `${delivery}:attempt`
