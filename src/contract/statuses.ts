/** Where payments and payouts can stand. Apart from the schemas, which load a validator: the command line asks for these words alone. */

export const PAYMENT_STATUSES = ['pending', 'processing', 'succeeded', 'failed', 'expired'] as const
export const PAYOUT_STATUSES = [
  'requires_approval',
  'processing',
  'succeeded',
  'failed',
  'cancelled',
] as const
