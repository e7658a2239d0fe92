import { describe, expect, test } from 'vitest'
import { type Account, type Json, openAccount } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { expectError } from '../../support/http/answers.ts'
import { png } from '../../support/payments/receipt-images.ts'
import { upload } from '../../support/payments/receipts.ts'
import { putRules, type Rule } from '../../support/provider/rules.ts'
import { expectAtBoundary } from '../../support/time/boundary.ts'

const server = sharedServer()

const WITHOUT_ACTION = { status: 'processing', processing_reason: 'asynchronous', next_action: null }
const WITH_ACTION = { status: 'pending', processing_reason: null, next_action: expect.any(Object) }

const ways: [string, (account: Account) => Promise<Json>][] = [
  ['a bank transfer', account => account.pay('probe_transfer')],
  ['a QR code', account => account.pay('probe_qr')],
  ['a redirect', account => account.pay('probe_redirect')],
  ['a hosted page', account => account.payHosted({ payment_method: 'probe_qr' })],
]

async function accountWith(rule: Rule): Promise<Account> {
  const account = await openAccount(server())
  await putRules(account, rule)
  return account
}

describe.each(ways)('the action of %s', (_, pay) => {
  test('is presented after the time in its rule', async () => {
    const account = await accountWith({ action: { after: '10s' } })
    const made = await pay(account)
    expect(made).toMatchObject(WITHOUT_ACTION)
    await expectAtBoundary(account, () => account.read(made.id), {
      in: 10_000,
      before: WITHOUT_ACTION,
      then: WITH_ACTION,
    })
  })

  test('expires after the time in its rule', async () => {
    const account = await accountWith({ action: { expires_after: '15m' } })
    const made = await pay(account)
    expect(made).toMatchObject(WITH_ACTION)
    await expectAtBoundary(account, () => account.read(made.id), {
      in: 900_000,
      before: WITH_ACTION,
      then: WITHOUT_ACTION,
    })
  })

  test('expires counted from when it was presented', async () => {
    const account = await accountWith({ action: { after: '10s', expires_after: '15s' } })
    const { id } = await pay(account)
    await account.advance('10s')
    await expectAtBoundary(account, () => account.read(id), {
      in: 15_000,
      before: WITH_ACTION,
      then: WITHOUT_ACTION,
    })
  })

  test('is presented at once if its rule says so or does not say', async () => {
    for (const rule of [{ action: { after: '0s' } }, { cancel: { outcome: 'never' } }])
      expect(await pay(await accountWith(rule))).toMatchObject(WITH_ACTION)
  })
})

test.each(['probe_transfer', 'probe_redirect'])('the action of %s states when it expires', async method => {
  const account = await accountWith({ action: { expires_after: '15m' } })
  const made = await account.pay(method)
  expect(Date.parse(made.next_action.expires_at) - Date.parse(made.created_at)).toBe(900_000)
})

test('an action expires no later than its intent', async () => {
  const account = await accountWith({ action: { expires_after: '2h' }, expiry: '1h' })
  const made = await account.pay('probe_transfer')
  expect(Date.parse(made.next_action.expires_at) - Date.parse(made.created_at)).toBe(3_600_000)
})

test('a rule overrides the action time of the route', async () => {
  expect(await (await accountWith({ action: { after: '0s' } })).pay('probe_later')).toMatchObject(WITH_ACTION)
  const slower = await accountWith({ action: { after: '20m' } })
  const made = await slower.pay('probe_later')
  await slower.advance('10m')
  expect(await slower.read(made.id)).toMatchObject(WITHOUT_ACTION)
  await slower.advance('10m')
  expect(await slower.read(made.id)).toMatchObject(WITH_ACTION)
})

test('a rule without an action leaves its time to the route', async () => {
  const account = await accountWith({ cancel: { outcome: 'never' } })
  const made = await account.pay('probe_later')
  expect(made).toMatchObject(WITHOUT_ACTION)
  await account.advance('10m')
  expect(await account.read(made.id)).toMatchObject(WITH_ACTION)
})

describe.each<[string, Rule, string]>([
  ['to come', { action: { after: '10s' } }, '0s'],
  ['over', { action: { expires_after: '10s' } }, '10s'],
])('while the action is %s', (_, rule, wait) => {
  test('cancellations and receipts are refused', async () => {
    const account = await accountWith(rule)
    const { id } = await account.pay('probe_receipt')
    await account.advance(wait)
    expectError(await account.cancel(id), 422, 'invalid_state')
    expectError(await upload(account, id, png()), 422, 'invalid_state')
    expect(await account.providerCalls(id, 'cancel')).toBe(0)
    expect(await account.providerCalls(id, 'submit_receipt')).toBe(0)
  })
})
