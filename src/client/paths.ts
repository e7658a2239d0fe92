/**
 * The paths of the merchant API. A test compares them with the contract, because importing its list would load the
 * schemas.
 */
export const PATHS = {
  methods: '/payment_methods/options',
  create: '/payment_intents',
  payment: '/payment_intents/:id',
  cancelPayment: '/payment_intents/:id/cancel-pending',
  receipt: '/payment_intents/:id/receipt',
  payouts: '/payout_intents',
  cancelPayout: '/payout_intents/:id/cancel',
} as const
