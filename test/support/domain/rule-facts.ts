import type { Facts } from '../../../src/domain/rules/condition.ts'

export const paymentFacts = (facts: Partial<Facts> = {}): Facts => ({
  kind: 'payment',
  environment: 'test',
  amount: '5000',
  currency: 'THB',
  country: 'TH',
  merchantReference: 'order-1',
  method: 'th_bank_transfer',
  provider: 'siam',
  checkoutMode: 'merchant',
  customer: { name: 'Ann', phone: '0812345678', email: 'ann@example.com' },
  ...facts,
})

export const payoutFacts = (facts: Partial<Facts> = {}): Facts => ({
  kind: 'payout',
  environment: 'test',
  amount: '5000',
  currency: 'THB',
  country: 'TH',
  merchantReference: 'order-1',
  recipient: { bankCode: 'bbl', holderName: 'Somchai' },
  ...facts,
})
