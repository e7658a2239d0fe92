import { expect, test } from 'vitest'
import { openAccount, openMerchant, succeeded } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { expectRefusal, invalid } from '../../support/http/refusals.ts'
import {
  ACCOUNT_NUMBER,
  addPayout,
  cancelPayout,
  listPayouts,
  movePayout,
  payoutBody,
  readPayout,
} from '../../support/payments/payouts.ts'
import { RFC_3339_UTC_MS } from '../../support/time/instants.ts'
import { listen, settle } from '../../support/webhooks/receiver.ts'

const server = sharedServer()

test('a payout in the list has exactly the documented fields', async () => {
  const account = await openAccount(server())
  const now = await account.now()
  await addPayout(account, { amount: '150000', merchant_reference: 'salary 7' })
  const { data } = await succeeded(listPayouts(account))
  expect(data).toEqual([
    {
      id: expect.stringMatching(/^po_[0-9A-Za-z]{24}$/),
      object: 'payout_intent',
      amount: '150000',
      currency: 'THB',
      country: 'TH',
      environment: 'test',
      merchant_reference: 'salary 7',
      status: 'requires_approval',
      recipient: {
        type: 'bank_account',
        bank_code: 'bbl',
        holder_name: 'Somchai Jaidee',
        account_last4: ACCOUNT_NUMBER.slice(-4),
      },
      failure_code: null,
      failure_message: null,
      created_at: now,
      updated_at: now,
    },
  ])
})

const recipient = (account_number: string) => ({
  recipient: { bank_code: 'bbl', holder_name: 'Somchai Jaidee', account_number },
})

test.each([
  ['1234', '1234'],
  ['123-4-56789-0', '7890'],
  ['12 34 5', '2345'],
  ['GB29 NWBK 6016 1331 9268 19AB', '6819'],
])('the last four digits of the account number %s are %s', async (number, last4) => {
  const account = await openAccount(server())
  const { id } = await addPayout(account, recipient(number))
  const { data } = await succeeded(listPayouts(account))
  expect(data[0]).toMatchObject({ id, recipient: { account_last4: last4 } })
})

test.each(['123', '12-3', 'abcdefgh', '1234_5678', '1234.5678', '๑๒๓๔', '1'.repeat(35)])(
  'an account number %s is refused',
  async number => {
    const account = await openAccount(server())
    const answer = await account.control('POST', '/payouts', { body: payoutBody(recipient(number)) })
    expectRefusal(answer, invalid('recipient.account_number'))
  },
)

test('updated_at is never before created_at, even if created_at is in the future', async () => {
  const account = await openAccount(server())
  for (const created_at of ['2099-01-01T00:00:00.000Z', '2001-01-01T00:00:00.000Z']) {
    const { id } = await addPayout(account, { created_at })
    for (const trigger of [undefined, 'approve', 'succeed'] as const) {
      if (trigger) await succeeded(movePayout(account, id, trigger))
      const payout = await readPayout(account, id)
      expect(payout.created_at).toBe(created_at)
      expect(payout.updated_at >= created_at).toBe(true)
    }
  }
})

test('times are RFC 3339 in UTC with milliseconds', async () => {
  const account = await openAccount(server())
  const payout = await addPayout(account)
  const { created_at, updated_at } = await readPayout(account, payout.id)
  expect(created_at).toMatch(RFC_3339_UTC_MS)
  expect(updated_at).toMatch(RFC_3339_UTC_MS)
})

test('the cancel answer is the payout as the list shows it afterwards', async () => {
  const account = await openAccount(server())
  const payout = await addPayout(account)
  const cancelled = await succeeded(cancelPayout(account, payout.id, { reason: 'Duplicate' }))
  expect(cancelled).toEqual(await readPayout(account, payout.id))
})

test('no answer or webhook contains the full account number', async () => {
  const account = await openAccount(server())
  const receiver = await listen(account, ['payout.updated', 'payout.cancelled', 'payout.succeeded'])
  const kept = await addPayout(account)
  const paid = await addPayout(account)
  await movePayout(account, paid.id, 'approve')
  await movePayout(account, paid.id, 'succeed')
  const cancelled = await cancelPayout(account, kept.id, { reason: 'Duplicate' })
  const again = await cancelPayout(account, kept.id)
  const list = await listPayouts(account)
  await settle(account)
  expect(receiver.deliveries.length).toBeGreaterThanOrEqual(2)
  const seen = [cancelled, again, list, ...receiver.deliveries].map(({ text }) => text)
  for (const text of seen) expect(text).not.toContain(ACCOUNT_NUMBER)
  expect(list.text.split('"account_last4":"9876"')).toHaveLength(3)
})

test.each(['live', 'test'] as const)('a payout of the %s account has its environment', async environment => {
  const merchant = await openMerchant(server())
  await addPayout(merchant[environment])
  const { data } = await succeeded(listPayouts(merchant[environment]))
  expect(data).toMatchObject([{ environment }])
})

test('every answer has a unique request id and must not be cached', async () => {
  const account = await openAccount(server())
  const { id } = await addPayout(account)
  const answers = [
    await listPayouts(account),
    await cancelPayout(account, id),
    await cancelPayout(account, id),
    await listPayouts(account, { limit: 0 }),
    await account.call('GET', '/payout_intents', { anonymous: true }),
    await account.call('GET', '/no-such-path'),
  ]
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 422, 400, 401, 404])
  for (const { headers } of answers) {
    expect(headers.get('request-id')).toMatch(/^req_\w+$/)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('content-type')).toMatch(/^application\/json/)
  }
  expect(new Set(answers.map(({ headers }) => headers.get('request-id'))).size).toBe(answers.length)
})
