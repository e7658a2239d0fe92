import { expect, test } from 'vitest'
import { accountOf, openAccount, openMerchant, succeeded } from '../../support/gateway/merchant.ts'
import { ownServer, recovered, restarted, sharedServer } from '../../support/gateway/shared-server.ts'
import { expectFresh, expectInvalid, expectReplay } from '../../support/http/answers.ts'
import { cancelPayout, listedIds, movePayout, payoutBody } from '../../support/payments/payouts.ts'

const server = sharedServer()

type Account = Awaited<ReturnType<typeof openAccount>>

const create = (account: Account, key: string, changes: Record<string, unknown> = {}) =>
  account.control('POST', '/payouts', { body: payoutBody(changes), headers: { 'idempotency-key': key } })

test('the same key and payout get the first answer, byte for byte, and create nothing', async () => {
  const account = await openAccount(server())
  const first = await create(account, 'k')
  expectFresh(first, 201)
  expectReplay(await create(account, 'k'), first)
  await succeeded(movePayout(account, first.body.id, 'approve'))
  await account.advance('23h')
  expectReplay(await create(account, 'k'), first)
  expect(await listedIds(account)).toEqual([first.body.id])
})

test('the same key with another payout is a conflict, and creates nothing', async () => {
  const account = await openAccount(server())
  expectFresh(await create(account, 'k'), 201)
  const other = await create(account, 'k', { amount: '1' })
  expect(other).toMatchObject({ status: 409, body: { error: { code: 'idempotency_conflict' } } })
  expect(await listedIds(account)).toHaveLength(1)
})

test('after 24 hours, and with another key, a payout is made again', async () => {
  const account = await openAccount(server())
  const { body: first } = await create(account, 'k')
  await succeeded(cancelPayout(account, first.id, {}))
  expectFresh(await create(account, 'other'), 201)
  await account.advance('24h')
  expectFresh(await create(account, 'k'), 201)
  expect(await listedIds(account)).toHaveLength(3)
})

test('a refused payout keeps nothing, so it can be corrected under the same key', async () => {
  const account = await openAccount(server())
  expectInvalid(await create(account, 'k', { country: 'ZZ' }), 'country')
  expectFresh(await create(account, 'k'), 201)
  expectInvalid(await create(account, 'é'), 'Idempotency-Key')
})

test.each([
  ['a clean stop', restarted],
  ['a crash', recovered],
] as const)('after %s, a key still gets its payout as it was', async (_, again) => {
  const first = await ownServer()
  const merchant = await openMerchant(first)
  const answer = await create(merchant.test, 'k')
  await succeeded(movePayout(merchant.test, answer.body.id, 'approve'))
  const account = accountOf(await again(first), merchant.test.keys)
  expectReplay(await create(account, 'k'), answer)
})
