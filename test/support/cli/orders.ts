/** The options that `payments create` needs with the probe catalogue, besides the method. */
export const ORDER = [
  ...['--amount', '15000', '--currency', 'THB', '--country', 'TH', '--checkout-mode', 'merchant'],
  ...[
    '--merchant-reference',
    'order-1',
    '--customer-name',
    'Somchai Jaidee',
    '--customer-phone',
    '+66812345678',
  ],
]

export const by = (method: string, ...more: readonly string[]) => [
  ...ORDER,
  '--payment-method',
  method,
  ...more,
]
