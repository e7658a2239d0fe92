import type { Json } from './merchant.ts'

/** The archive of an account with so many payouts, of an entry each. */
export function archiveOf(payouts: number): Json {
  const at = Date.UTC(2026, 0, 1)
  const recipient = { bankCode: 'bbl', holderName: 'x'.repeat(200), accountLast4: '1234' }
  const created = { type: 'PayoutCreated', amount: '100', currency: 'THB', country: 'TH', recipient }
  const entries = Array.from({ length: payouts }, (_, nth) => {
    const names = { payout: `po_${nth}`, merchantReference: `order-${nth}`, status: 'requires_approval' }
    return { v: 1, seq: nth + 1, at: at + nth, by: 'operator', events: [{ ...created, ...names }] }
  })
  return { paysim: 1, account: 'other.test', seed: 'a seed', entries, images: {} }
}
