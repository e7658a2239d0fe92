import { describe, expect, test } from 'vitest'
import { type Account, openAccount } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { png } from '../../support/payments/receipt-images.ts'
import { attach, receiptOf, storeAsset, upload } from '../../support/payments/receipts.ts'
import { putRules, type Rule } from '../../support/provider/rules.ts'
import { expectAtBoundary } from '../../support/time/boundary.ts'

const server = sharedServer()

const ACCEPTED = { receipt: { status: 'submitted' } }
const IN_PROGRESS = { receipt: { status: 'processing' } }

async function transferWith(
  rule: Rule,
): Promise<{ account: Account; id: string; read: () => Promise<unknown> }> {
  const account = await openAccount(server())
  await putRules(account, rule)
  const { id } = await account.pay('probe_receipt')
  return { account, id, read: () => account.read(id) }
}

const rejected = (message: string) => ({
  receipt: { status: 'rejected', failure_code: 'receipt_rejected', failure_message: message },
})

test('each submission gets the verdict and time of its entry, and the last entry repeats', async () => {
  const { account, id, read } = await transferWith({
    receipt: [
      { after: '5s', verdict: 'reject', message: 'Amount is not legible' },
      { after: '7s', verdict: 'reject', message: 'It is another amount' },
      { after: '2s', verdict: 'reject', message: 'It is last year’s' },
    ],
  })
  for (const [at, [ms, message]] of (
    [
      [5000, 'Amount is not legible'],
      [7000, 'It is another amount'],
      [2000, 'It is last year’s'],
      [2000, 'It is last year’s'],
      [2000, 'It is last year’s'],
    ] as const
  ).entries()) {
    await upload(account, id, png(at))
    await expectAtBoundary(account, read, { in: ms, before: IN_PROGRESS, then: rejected(message) })
  }
  expect((await account.read(id)).status, 'the verdict does not end the payment').toBe('pending')
})

test('a rejection can be followed by an acceptance', async () => {
  const { account, id, read } = await transferWith({
    receipt: [
      { after: '5s', verdict: 'reject' },
      { after: '9s', verdict: 'accept' },
    ],
  })
  await upload(account, id, png(1))
  await account.advance('5s')
  expect(await receiptOf(account, id)).toMatchObject({
    status: 'rejected',
    failure_code: 'receipt_rejected',
    failure_message: expect.stringMatching(/\S/),
  })
  await upload(account, id, png(2))
  await expectAtBoundary(account, read, { in: 9000, before: IN_PROGRESS, then: ACCEPTED })
  expect(await account.providerCalls(id, 'submit_receipt')).toBe(2)
})

test('a receipt from an asset gets the same verdicts', async () => {
  const { account, id, read } = await transferWith({
    receipt: [{ after: '5s', verdict: 'reject', message: 'No' }],
  })
  await attach(account, id, { asset_id: await storeAsset(account, png(3)) })
  await expectAtBoundary(account, read, { in: 5000, before: IN_PROGRESS, then: rejected('No') })
})

test('repeating a receipt while it is being verified does not use up the next entry', async () => {
  const { account, id } = await transferWith({
    receipt: [
      { after: '5s', verdict: 'reject', message: 'first' },
      { after: '5s', verdict: 'reject', message: 'second' },
    ],
  })
  await upload(account, id, png(1))
  await upload(account, id, png(1))
  await account.advance('5s')
  expect(await receiptOf(account, id)).toMatchObject({ failure_message: 'first' })
  await upload(account, id, png(1))
  await account.advance('5s')
  expect(await receiptOf(account, id)).toMatchObject({ failure_message: 'second' })
})

test('a verdict after 0 s comes without the clock moving', async () => {
  const { account, id } = await transferWith({ receipt: [{ after: '0s', verdict: 'accept' }] })
  await upload(account, id, png())
  await account.advance('0s')
  expect(await receiptOf(account, id)).toEqual({ status: 'submitted' })
})

test('a manual verdict replaces the scripted one', async () => {
  const { account, id } = await transferWith({ receipt: [{ after: '5s', verdict: 'reject' }] })
  await upload(account, id, png())
  await account.trigger(id, 'accept-receipt')
  await account.advance('5s')
  expect(await receiptOf(account, id)).toEqual({ status: 'submitted' })
})

describe('without a receipt rule', () => {
  test.each<[string, Rule]>([
    ['a rule that speaks of other things', { cancel: { outcome: 'never' } }],
    [
      'a rule that matches something else',
      { match: { method: 'probe_qr' }, receipt: [{ verdict: 'reject' }] },
    ],
  ])('%s: receipts are accepted after 5 s', async (_, rule) => {
    const { account, id, read } = await transferWith(rule)
    await upload(account, id, png())
    await expectAtBoundary(account, read, { in: 5000, before: IN_PROGRESS, then: ACCEPTED })
  })
})
