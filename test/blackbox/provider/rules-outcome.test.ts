import { describe, expect, test } from 'vitest'
import { type Account, openAccount } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { png } from '../../support/payments/receipt-images.ts'
import { receiptOf, upload } from '../../support/payments/receipts.ts'
import { eventsAbout, putRules, type Rule } from '../../support/provider/rules.ts'
import { expectAtBoundary } from '../../support/time/boundary.ts'

const server = sharedServer()

async function accountWith(rule: Rule): Promise<Account> {
  const account = await openAccount(server())
  await putRules(account, rule)
  return account
}

const HOUR = 3_600_000

describe.each<[string, Rule, Rule]>([
  ['succeeded', {}, { status: 'succeeded', failure_code: null, failure_message: null }],
  [
    'failed',
    { code: 'insufficient_funds', message: 'Not enough money' },
    { status: 'failed', failure_code: 'insufficient_funds', failure_message: 'Not enough money' },
  ],
  ['failed', {}, { status: 'failed', failure_code: expect.any(String), failure_message: expect.any(String) }],
  ['expired', {}, { status: 'expired', failure_code: null }],
])('the outcome %s %j', (status, words, ended) => {
  const outcome = { after: '30s', status, ...words }
  const then = { ...ended, next_action: null, processing_reason: null }

  test('comes the given time after the action', async () => {
    const account = await accountWith({ outcome })
    const { id } = await account.pay('probe_transfer')
    const read = () => account.read(id)
    await expectAtBoundary(account, read, { in: 30_000, before: { status: 'pending' }, then })
    await account.advance('100d')
    expect(await eventsAbout(account, id)).toEqual([`payment.${status}`])
  })

  test('comes the given time after the accepted receipt, where one is required', async () => {
    const account = await accountWith({ receipt: [{ after: '5s', verdict: 'accept' }], outcome })
    const { id } = await account.pay('probe_receipt')
    await account.advance('10m')
    expect((await account.read(id)).status, 'the action alone brings nothing').toBe('pending')
    await upload(account, id, png())
    await account.advance('5s')
    const read = () => account.read(id)
    await expectAtBoundary(account, read, { in: 30_000, before: { status: 'pending' }, then })
  })
})

test('the outcome counts from when a late action is presented', async () => {
  const account = await accountWith({
    action: { after: '10s' },
    outcome: { after: '30s', status: 'succeeded' },
  })
  const { id } = await account.pay('probe_transfer')
  await account.advance('10s')
  const read = () => account.read(id)
  await expectAtBoundary(account, read, {
    in: 30_000,
    before: { status: 'pending' },
    then: { status: 'succeeded' },
  })
})

test('the outcome of a hosted payment with a method counts from its creation', async () => {
  const account = await accountWith({ outcome: { after: '30s', status: 'succeeded' } })
  const { id } = await account.payHosted({ payment_method: 'probe_qr' })
  const read = () => account.read(id)
  await expectAtBoundary(account, read, {
    in: 30_000,
    before: { status: 'pending' },
    then: { status: 'succeeded' },
  })
})

test('an expired action does not prevent the outcome', async () => {
  const account = await accountWith({
    action: { expires_after: '10s' },
    outcome: { after: '30s', status: 'succeeded' },
  })
  const { id } = await account.pay('probe_transfer')
  await account.advance('10s')
  expect((await account.read(id)).status).toBe('processing')
  await account.advance('20s')
  expect((await account.read(id)).status).toBe('succeeded')
})

test('a rejected receipt brings no outcome, but a later accepted one does', async () => {
  const account = await accountWith({
    receipt: [
      { after: '5s', verdict: 'reject' },
      { after: '5s', verdict: 'accept' },
    ],
    outcome: { after: '30s', status: 'succeeded' },
  })
  const { id } = await account.pay('probe_receipt')
  await upload(account, id, png(1))
  await account.advance('10m')
  expect((await account.read(id)).status).toBe('pending')
  await upload(account, id, png(2))
  await account.advance('35s')
  expect((await account.read(id)).status).toBe('succeeded')
})

test('a receipt accepted by hand brings the outcome too', async () => {
  const account = await accountWith({
    receipt: [{ after: '1h', verdict: 'accept' }],
    outcome: { after: '30s', status: 'succeeded' },
  })
  const { id } = await account.pay('probe_receipt')
  await upload(account, id, png())
  await account.trigger(id, 'accept-receipt')
  await account.advance('30s')
  expect((await account.read(id)).status).toBe('succeeded')
})

test('an outcome without a time comes at once, but after the create answer', async () => {
  const account = await accountWith({ outcome: { status: 'succeeded' } })
  const made = await account.pay('probe_transfer')
  expect(made.status).toBe('pending')
  await account.advance('0s')
  expect((await account.read(made.id)).status).toBe('succeeded')
})

describe.each<[string, Rule]>([
  ['manual', { outcome: 'manual' }],
  ['not said', { cancel: { outcome: 'never' } }],
])('an outcome that is %s', (_, rule) => {
  test('waits for the payer', async () => {
    const account = await accountWith(rule)
    const [waiting, paid] = [await account.pay('probe_transfer'), await account.pay('probe_transfer')]
    await account.advance('71h')
    expect((await account.read(waiting.id)).status).toBe('pending')
    expect((await account.trigger(paid.id, 'succeed')).body.status).toBe('succeeded')
  })

  test('waits after an accepted receipt', async () => {
    const account = await accountWith(rule)
    const { id } = await account.pay('probe_receipt')
    await upload(account, id, png())
    await account.advance('71h')
    expect((await account.read(id)).status).toBe('pending')
    expect((await receiptOf(account, id)).status).toBe('submitted')
  })
})

describe('the expiry of a rule', () => {
  test.each([
    ['1h', HOUR],
    ['10d', 240 * HOUR],
  ])('%s sets when the intent expires, once', async (expiry, ms) => {
    const account = await accountWith({ expiry })
    const { id } = await account.pay('probe_transfer')
    const read = () => account.read(id)
    await expectAtBoundary(account, read, {
      in: ms,
      before: { status: 'pending' },
      then: { status: 'expired' },
    })
    await account.advance('100d')
    expect(await eventsAbout(account, id)).toEqual(['payment.expired'])
  })

  test('is 72 h by default', async () => {
    const account = await accountWith({ cancel: { outcome: 'never' } })
    const { id } = await account.pay('probe_transfer')
    const read = () => account.read(id)
    await expectAtBoundary(account, read, {
      in: 72 * HOUR,
      before: { status: 'pending' },
      then: { status: 'expired' },
    })
  })

  test('ends a payment whose outcome comes too late, but not one with an earlier outcome', async () => {
    const late = await accountWith({ expiry: '1h', outcome: { after: '2h', status: 'succeeded' } })
    const early = await accountWith({ expiry: '2h', outcome: { after: '1h', status: 'succeeded' } })
    for (const [account, status] of [
      [late, 'expired'],
      [early, 'succeeded'],
    ] as const) {
      const { id } = await account.pay('probe_transfer')
      await account.advance('10d')
      expect((await account.read(id)).status).toBe(status)
      expect(await eventsAbout(account, id)).toEqual([`payment.${status}`])
    }
  })

  test('ends a payment whose action has not been presented yet', async () => {
    const account = await accountWith({ action: { after: '2h' }, expiry: '1h' })
    const { id } = await account.pay('probe_transfer')
    await account.advance('1h')
    expect((await account.read(id)).status).toBe('expired')
    await account.advance('2h')
    expect(await account.read(id)).toMatchObject({ status: 'expired', next_action: null })
  })

  test('ends a payment during receipt verification, and the verdict changes only the receipt', async () => {
    const account = await accountWith({ receipt: [{ after: '2h', verdict: 'accept' }], expiry: '1h' })
    const { id } = await account.pay('probe_receipt')
    await upload(account, id, png())
    await account.advance('1h')
    const expired = await account.read(id)
    expect(expired.status).toBe('expired')
    await account.advance('2h')
    const judged = await account.read(id)
    expect(judged).toEqual({ ...expired, receipt: { status: 'submitted' }, updated_at: judged.updated_at })
    expect(await eventsAbout(account, id)).toEqual(['payment.expired'])
  })
})
