import { describe, expect, test } from 'vitest'
import { type Account, openAccount } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { expectError } from '../../support/http/answers.ts'
import { addPayout, eventsAbout, payoutOf, putRules, type Rule } from '../../support/provider/rules.ts'
import { expectAtBoundary } from '../../support/time/boundary.ts'

const server = sharedServer()

async function payoutWith(rule: Rule, changes: Rule = {}) {
  const account = await openAccount(server())
  await putRules(account, { match: { kind: 'payout' }, ...rule })
  const { id } = await addPayout(account, changes)
  return { account, id, read: () => payoutOf(account, id) }
}

const move = (account: Account, id: string, name: string) =>
  account.control('POST', `/payouts/${id}/${name}`, { body: {} })
const cancel = (account: Account, id: string) =>
  account.call('POST', `/payout_intents/${id}/cancel`, { body: {} })

const HOUR = 3_600_000
const WAITING = { status: 'requires_approval' }
const APPROVED = { status: 'processing' }

describe.each<[string, Rule, Rule]>([
  ['succeeded', {}, { status: 'succeeded', failure_code: null, failure_message: null }],
  [
    'failed',
    { code: 'account_closed', message: 'The account is closed' },
    { status: 'failed', failure_code: 'account_closed', failure_message: 'The account is closed' },
  ],
  ['failed', {}, { status: 'failed', failure_code: expect.any(String), failure_message: expect.any(String) }],
])('a payout that ends as %s %j', (status, words, then) => {
  test('is approved after the given time, and ends the given time after the approval', async () => {
    const { account, id, read } = await payoutWith({
      approval: { after: '1h' },
      outcome: { after: '2d', status, ...words },
    })
    await expectAtBoundary(account, read, { in: HOUR, before: WAITING, then: APPROVED })
    await expectAtBoundary(account, read, { in: 48 * HOUR, before: APPROVED, then })
    await account.advance('100d')
    expect(await eventsAbout(account, id)).toEqual([`payout.${status}`])
  })
})

test('an approval and an outcome after 0 s happen without the clock moving', async () => {
  const { account, read } = await payoutWith({
    approval: { after: '0s' },
    outcome: { after: '0s', status: 'succeeded' },
  })
  await account.advance('0s')
  expect(await read()).toMatchObject({ status: 'succeeded' })
})

test('a payout without an approval rule waits, and its outcome counts from the manual approval', async () => {
  const { account, id, read } = await payoutWith({ outcome: { after: '1h', status: 'succeeded' } })
  await account.advance('30d')
  expect(await read()).toMatchObject(WAITING)
  await move(account, id, 'approve')
  await expectAtBoundary(account, read, { in: HOUR, before: APPROVED, then: { status: 'succeeded' } })
})

test('a payout without an outcome stays in processing and can be ended by hand', async () => {
  const { account, id, read } = await payoutWith({ approval: { after: '1h' } })
  await account.advance('30d')
  expect(await read()).toMatchObject(APPROVED)
  expect((await move(account, id, 'succeed')).status).toBe(200)
})

test('the outcome of a payout created in processing counts from its creation', async () => {
  const { account, read } = await payoutWith({ outcome: { after: '1h', status: 'succeeded' } }, APPROVED)
  await expectAtBoundary(account, read, { in: HOUR, before: APPROVED, then: { status: 'succeeded' } })
})

test('a payout cancelled before its approval stays cancelled', async () => {
  const { account, id, read } = await payoutWith({
    approval: { after: '1h' },
    outcome: { after: '1h', status: 'succeeded' },
  })
  await account.advance('3599999ms')
  expect((await cancel(account, id)).status).toBe(200)
  await account.advance('100d')
  expect(await read()).toMatchObject({ status: 'cancelled' })
  expect(await eventsAbout(account, id)).toEqual(['payout.cancelled'])
})

test('a payout cannot be cancelled after an automatic approval', async () => {
  const { account, id } = await payoutWith({ approval: { after: '1h' } })
  await account.advance('1h')
  expectError(await cancel(account, id), 422, 'invalid_state')
})

test('a payout approved by hand is not approved again', async () => {
  const { account, id, read } = await payoutWith({
    approval: { after: '1h' },
    outcome: { after: '1h', status: 'failed', code: 'late' },
  })
  await move(account, id, 'approve')
  await account.advance('1h')
  expect(await read()).toMatchObject({ status: 'failed', failure_code: 'late' })
  await account.advance('100d')
  expect(await eventsAbout(account, id)).toEqual(['payout.failed'])
})
