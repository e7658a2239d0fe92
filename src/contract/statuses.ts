/**
 * The words of the interface: environments, checkout modes, statuses of records, and the triggers that change them. They
 * are apart from the schemas, which load a validator that the command line does not need.
 */

export const ENVIRONMENTS = ['test', 'live'] as const
export type Environment = (typeof ENVIRONMENTS)[number]

export const CHECKOUT_MODES = ['hosted', 'merchant'] as const
export type CheckoutMode = (typeof CHECKOUT_MODES)[number]

export const PAYMENT_STATUSES = ['pending', 'processing', 'succeeded', 'failed', 'expired'] as const
export type PaymentStatus = (typeof PAYMENT_STATUSES)[number]
/** A payment with one of these never changes its status again. */
export const FINAL_STATUSES: readonly string[] = ['succeeded', 'failed', 'expired']

export const PAYOUT_STATUSES = [
  'requires_approval',
  'processing',
  'succeeded',
  'failed',
  'cancelled',
] as const
export type PayoutStatus = (typeof PAYOUT_STATUSES)[number]

export const RECEIPT_STATUSES = ['required', 'processing', 'submitted', 'rejected'] as const
export type ReceiptStatus = (typeof RECEIPT_STATUSES)[number]

export const DELIVERY_STATUSES = ['pending', 'attempting', 'delivered', 'failed', 'dropped'] as const
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number]
/** What lists and charts sort deliveries by: one that is tried again after a failed attempt is `failing`, whatever its status. */
export const DELIVERY_STATES = [...DELIVERY_STATUSES, 'failing'] as const
export type DeliveryState = (typeof DELIVERY_STATES)[number]

/** What a provider, a payer or an operator can make happen to a payment. */
export const PAYMENT_TRIGGERS = [
  'present-action',
  'withdraw-action',
  'succeed',
  'fail',
  'expire',
  'accept-receipt',
  'reject-receipt',
  'confirm-cancel',
] as const
export type PaymentTrigger = (typeof PAYMENT_TRIGGERS)[number]

export const PAYOUT_TRIGGERS = ['approve', 'cancel', 'succeed', 'fail'] as const
export type PayoutTrigger = (typeof PAYOUT_TRIGGERS)[number]

/** What is checked of a webhook that was received, in this order. */
export const WEBHOOK_CHECKS = ['headers', 'signature', 'timestamp', 'event'] as const
