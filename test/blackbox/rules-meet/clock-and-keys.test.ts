import { describe, expect, test } from 'vitest'
import {
  type Account,
  accountOf,
  type Json,
  openAccount,
  openMerchant,
} from '../../support/gateway/merchant.ts'
import type { Answer } from '../../support/gateway/server.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { expectError, expectFresh, expectInvalid, expectReplay } from '../../support/http/answers.ts'
import { png } from '../../support/payments/receipt-images.ts'
import { upload } from '../../support/payments/receipts.ts'
import { hosted } from '../../support/payments/requests.ts'
import { openReceiver } from '../../support/webhooks/receiver.ts'

/** What is in flight while the account's time moves, in each way that it can, or while its key is revoked. */

const server = sharedServer()
const HOUR = 3_600_000
const FASTEST = 1_000_000

const setClock = async (account: Account, body: Record<string, unknown>) => {
  const answer = await account.control('PUT', '/clock', { body })
  expect(answer.status, answer.text).toBe(200)
}
const timeOf = async (account: Account) => Date.parse(await account.now())
const later = async (account: Account, ms: number) => new Date((await timeOf(account)) + ms).toISOString()

const moves: [string, (account: Account, ms: number) => Promise<unknown>][] = [
  ['is advanced', (account, ms) => account.advance(`${ms}ms`)],
  ['is set', async (account, ms) => setClock(account, { mode: 'virtual', now: await later(account, ms) })],
  [
    'turns real, and is set',
    async (account, ms) => setClock(account, { mode: 'real', now: await later(account, ms) }),
  ],
  [
    'turns real, and is made to run fast',
    async (account, ms) => {
      const end = (await timeOf(account)) + ms
      await setClock(account, { mode: 'real', rate: Math.min(ms / 100, FASTEST) })
      await expect.poll(() => timeOf(account), { interval: 10 }).toBeGreaterThanOrEqual(end)
      await setClock(account, { mode: 'virtual' })
    },
  ],
]

const HELD = {
  action: { expires_after: '30m' },
  receipt: [
    { after: '1h', verdict: 'reject' },
    { after: '20d', verdict: 'accept' },
  ],
  cancel: 'manual',
  expiry: '30d',
}

test.each(moves)(
  'when the clock %s, a rejected receipt and a cancellation keep the action',
  async (_, move) => {
    const account = await openAccount(server(), { rules: [HELD] })
    const [rejected, cancelled] = [await account.pay('probe_receipt'), await account.pay('probe_receipt')]
    await upload(account, rejected.id, png(1))
    await account.cancel(cancelled.id)
    await move(account, 62 * 60_000)
    expect(await account.read(rejected.id)).toMatchObject({
      status: 'pending',
      next_action: rejected.next_action,
      receipt: { status: 'rejected' },
    })
    expectFresh(await upload(account, rejected.id, png(2)), 200)
    expect(await account.read(cancelled.id)).toMatchObject({
      status: 'pending',
      next_action: cancelled.next_action,
    })
    expect((await account.trigger(cancelled.id, 'confirm-cancel')).body.failure_code).toBe(
      'payment_cancelled',
    )
  },
)

test.each(moves)('when the clock %s, every read shows what has expired', async (_, move) => {
  const account = await openAccount(server(), { rules: [{ receipt: 'manual' }] })
  const create = () =>
    account.call('POST', '/payment_intents', { body: hosted(), headers: { 'idempotency-key': 'k' } })
  const first = await create()
  const verified = await account.pay('probe_receipt')
  await upload(account, verified.id, png())
  await move(account, 72 * HOUR)
  const page = await (await fetch(first.body.next_action.url)).text()
  expect(page.toLowerCase()).toContain('expired')
  const { data } = (await account.control('GET', '/payments')).body
  expect(data.map(({ status }: Json) => status)).toEqual(['expired', 'expired'])
  expectError(await account.cancel(verified.id), 422, 'invalid_state')
  expect(await account.read(verified.id)).toMatchObject({
    status: 'expired',
    next_action: null,
    receipt: { status: 'processing' },
  })
  const second = await create()
  expectFresh(second, 201)
  expect(second.body.id).not.toBe(first.body.id)
})

describe('during an advance', () => {
  /** An advance by ten hours, held up on its way by whom it sends a webhook, and then a change of the clock. */
  const during = async (account: Account, change: () => Promise<Answer>) => {
    const receiver = await openReceiver()
    let letGo = () => {}
    const after = new Promise<void>(resolve => {
      letGo = resolve
    })
    receiver.reply(() => ({ after }))
    await account.control('POST', '/webhook-endpoints', { body: { url: receiver.url } })
    await account.pay('probe_qr')
    await account.pay('probe_later')
    const start = await timeOf(account)
    const advanced = account.control('POST', '/clock/advance', { body: { by: '10h' } })
    await receiver.arrived(1)
    const changed = change()
    await server().control('GET', '/merchants')
    letGo()
    const arrival = start + 10 * HOUR
    return { changed: await changed, advanced: await advanced, arrival }
  }
  const set = (account: Account, body: Record<string, unknown>) =>
    during(account, () => account.control('PUT', '/clock', { body }))
  const rules = [{ outcome: { after: '1h', status: 'succeeded' } }]

  test('a clock change waits until the advance is finished', async () => {
    const account = await openAccount(server(), { rules })
    const { changed, advanced, arrival } = await set(account, { mode: 'real' })
    expect(Date.parse(advanced.body.now)).toBe(arrival)
    expect(changed.body).toMatchObject({ mode: 'real', next_due: null })
    expect((await account.control('GET', '/clock')).body.mode).toBe('real')
    expect(await timeOf(account)).toBeGreaterThanOrEqual(arrival)
  })

  test('the clock cannot be set to a time that the advance has passed', async () => {
    const account = await openAccount(server(), { rules })
    const now = await later(account, 2 * HOUR)
    expectInvalid((await set(account, { mode: 'virtual', now })).changed, 'now')
  })

  test('a reset waits for the advance', async () => {
    const account = await openAccount(server(), { rules })
    const { changed, advanced } = await during(account, () => account.control('POST', '/reset'))
    expect([advanced.status, changed.status]).toEqual([200, 200])
    expect((await account.control('GET', '/payments')).body.data).toEqual([])
  })

  test('removing the merchant ends the advance', async () => {
    const { id, test: account } = await openMerchant(server(), { rules })
    const remove = () => server().control('DELETE', `/merchants/${id}`)
    const { changed, advanced } = await during(account, remove)
    expect([advanced.status, changed.status]).toEqual([404, 204])
    expect((await server().control('GET', '/health')).status).toBe(200)
  })
})

test('revoking a key stops nothing started with it, and another pair sees the results', async () => {
  const account = await openAccount(server())
  const [judged, cancelled] = [await account.pay('probe_receipt'), await account.pay('probe_transfer')]
  const receipt = await upload(account, judged.id, png(), { key: 'k' })
  const asked = await account.cancel(cancelled.id, { 'idempotency-key': 'k' })
  const pair = (await account.control('POST', '/keys', { body: {} })).body
  await account.control('DELETE', `/keys/${account.keys.public_key}`)
  for (const refused of [
    await upload(account, judged.id, png(), { key: 'k' }),
    await account.cancel(cancelled.id),
    await account.call('GET', `/payment_intents/${judged.id}`),
  ])
    expectError(refused, 401, 'unauthorized')
  const other = accountOf(server(), { ...account.keys, ...pair, id: account.keys.id })
  await account.advance('5s')
  expect(await other.read(judged.id)).toMatchObject({ status: 'pending', receipt: { status: 'submitted' } })
  expect(await other.read(cancelled.id)).toMatchObject({ failure_code: 'payment_cancelled' })
  expectReplay(await upload(other, judged.id, png(), { key: 'k' }), receipt)
  expectReplay(await other.cancel(cancelled.id, { 'idempotency-key': 'k' }), asked)
})
