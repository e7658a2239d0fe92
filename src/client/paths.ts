/** The paths of the merchant interface. A test holds them to the contract, whose own list loads the schemas. */
export const PATHS = {
  methods: '/payment_methods/options',
  create: '/payment_intents',
  payment: '/payment_intents/:id',
  cancelPayment: '/payment_intents/:id/cancel-pending',
  receipt: '/payment_intents/:id/receipt',
  payouts: '/payout_intents',
  cancelPayout: '/payout_intents/:id/cancel',
} as const
