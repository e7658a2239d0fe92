/** An archive with so many entries that a checkpoint closes the file that they are in. */
export function longArchive(): string {
  const at = Date.UTC(2026, 0, 1)
  const created = { amount: '100', currency: 'THB', country: 'TH', status: 'requires_approval' }
  const recipient = { bankCode: 'bbl', holderName: 'x'.repeat(200), accountLast4: '1234' }
  const entries = Array.from({ length: 17_000 }, (_, nth) => {
    const event = { type: 'PayoutCreated', payout: `po_${nth}`, merchantReference: `order-${nth}` }
    const events = [{ ...event, ...created, recipient }]
    return { v: 1, seq: nth + 1, at: at + nth, by: 'operator', events }
  })
  return JSON.stringify({ paysim: 1, account: 'other.test', seed: 'a seed', entries, images: {} })
}
