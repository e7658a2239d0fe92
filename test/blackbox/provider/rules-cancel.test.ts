import { describe, expect, test } from 'vitest'
import { openAccount } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { expectError } from '../../support/http/answers.ts'
import { png } from '../../support/payments/receipt-images.ts'
import { upload } from '../../support/payments/receipts.ts'
import { eventsAbout, putRules, type Rule } from '../../support/provider/rules.ts'
import { expectAtBoundary } from '../../support/time/boundary.ts'

const server = sharedServer()

async function accountWith(rule: Rule) {
  const account = await openAccount(server())
  await putRules(account, rule)
  return account
}

describe.each<[string, Rule, string]>([
  ['cancelled', { status: 'failed', failure_code: 'payment_cancelled' }, 'payment.cancelled'],
  ['succeeded', { status: 'succeeded', failure_code: null, failure_message: null }, 'payment.succeeded'],
  ['failed', { status: 'failed', failure_message: expect.stringMatching(/\S/) }, 'payment.failed'],
  ['expired', { status: 'expired', failure_code: null }, 'payment.expired'],
])('a cancellation that ends as %s', (outcome, ended, event) => {
  test.each(['10s', '250ms'])('ends after %s, with one event', async after => {
    const account = await accountWith({ cancel: { after, outcome } })
    const { id } = await account.pay('probe_transfer')
    const answer = await account.cancel(id)
    expect(answer.status).toBe(202)
    expect(answer.body).toMatchObject({ status: 'pending', next_action: expect.any(Object) })
    await expectAtBoundary(account, () => account.read(id), {
      in: after === '10s' ? 10_000 : 250,
      before: { status: 'pending' },
      then: { ...ended, next_action: null },
    })
    await account.advance('100d')
    expect(await eventsAbout(account, id)).toEqual([event])
  })

  test('may end at once', async () => {
    const account = await accountWith({ cancel: { outcome } })
    const { id } = await account.pay('probe_transfer')
    await account.cancel(id)
    await account.advance('0s')
    expect(await account.read(id)).toMatchObject(ended)
  })
})

test('a cancellation that ends as failed does not have the code payment_cancelled', async () => {
  const account = await accountWith({ cancel: { outcome: 'failed' } })
  const { id } = await account.pay('probe_transfer')
  await account.cancel(id)
  await account.advance('0s')
  expect((await account.read(id)).failure_code).not.toBe('payment_cancelled')
})

describe('a cancellation that never ends', () => {
  test('leaves the payment pending until it expires', async () => {
    const account = await accountWith({ cancel: { outcome: 'never' }, expiry: '6h' })
    const { id } = await account.pay('probe_transfer')
    expect((await account.cancel(id)).status).toBe(202)
    await account.advance('21599999ms')
    expect((await account.read(id)).status).toBe('pending')
    await account.advance('1ms')
    expect((await account.read(id)).status).toBe('expired')
    expect(await eventsAbout(account, id)).toEqual(['payment.expired'])
  })

  test('may still be confirmed by hand, and the payment may still succeed', async () => {
    const account = await accountWith({ cancel: { outcome: 'never' } })
    const [confirmed, paid] = [await account.pay('probe_transfer'), await account.pay('probe_transfer')]
    for (const { id } of [confirmed, paid]) await account.cancel(id)
    expect((await account.trigger(confirmed.id, 'confirm-cancel')).body).toMatchObject({
      failure_code: 'payment_cancelled',
    })
    expect((await account.trigger(paid.id, 'succeed')).body).toMatchObject({ status: 'succeeded' })
  })
})

describe('the race between a cancellation and the outcome', () => {
  test.each<[string, string, string, string[]]>([
    ['10s', '5s', 'succeeded', ['payment.succeeded']],
    ['5s', '10s', 'failed', ['payment.cancelled']],
  ])('cancel after %s, outcome after %s: %s', async (cancel, outcome, status, events) => {
    const account = await accountWith({
      cancel: { after: cancel, outcome: 'cancelled' },
      outcome: { after: outcome, status: 'succeeded' },
    })
    const { id } = await account.pay('probe_transfer')
    await account.cancel(id)
    await account.advance('1h')
    expect((await account.read(id)).status).toBe(status)
    expect(await eventsAbout(account, id)).toEqual(events)
  })

  test('has one winner if both happen at one instant', async () => {
    const account = await accountWith({
      cancel: { after: '5s', outcome: 'cancelled' },
      outcome: { after: '5s', status: 'succeeded' },
    })
    const { id } = await account.pay('probe_transfer')
    await account.cancel(id)
    await account.advance('5s')
    const { status } = await account.read(id)
    expect(await eventsAbout(account, id)).toEqual([
      status === 'succeeded' ? 'payment.succeeded' : 'payment.cancelled',
    ])
  })
})

test('a second cancel request does not restart the time', async () => {
  const account = await accountWith({ cancel: { after: '10s', outcome: 'cancelled' } })
  const { id } = await account.pay('probe_transfer')
  await account.cancel(id)
  await account.advance('6s')
  await account.cancel(id)
  await account.advance('4s')
  expect((await account.read(id)).failure_code).toBe('payment_cancelled')
  expect(await account.providerCalls(id, 'cancel')).toBe(1)
})

test.each([
  ['accept', { status: 'submitted' }],
  ['reject', { status: 'rejected', failure_code: 'receipt_rejected' }],
])(
  'a cancellation during verification ends the payment, and the later verdict %s changes only its receipt',
  async (verdict, receipt) => {
    const account = await accountWith({
      receipt: [{ after: '9s', verdict }],
      cancel: { after: '3s', outcome: 'cancelled' },
      outcome: { after: '1s', status: 'succeeded' },
    })
    const { id } = await account.pay('probe_receipt')
    await upload(account, id, png())
    await account.cancel(id)
    await account.advance('3s')
    const ended = await account.read(id)
    expect(ended).toMatchObject({
      status: 'failed',
      failure_code: 'payment_cancelled',
      next_action: null,
      receipt: { status: 'processing' },
    })
    await account.advance('5999ms')
    expect(await account.read(id)).toEqual(ended)
    await account.advance('1ms')
    const judged = await account.read(id)
    expect(judged).toEqual({
      ...ended,
      updated_at: judged.updated_at,
      receipt: expect.objectContaining(receipt),
    })
    await account.advance('1h')
    expect(await account.read(id)).toEqual(judged)
    expect(await eventsAbout(account, id)).toEqual(['payment.cancelled'])
  },
)

test('a rule cannot add cancellation to a route that does not support it', async () => {
  const account = await accountWith({ cancel: { after: '1s', outcome: 'cancelled' } })
  const { id } = await account.pay('probe_fixed')
  expectError(await account.cancel(id), 422, 'provider_capability_unsupported')
})

test('a rule without `cancel` confirms cancellations after 5 s', async () => {
  const account = await accountWith({ action: { expires_after: '1h' } })
  const { id } = await account.pay('probe_transfer')
  await account.cancel(id)
  await expectAtBoundary(account, () => account.read(id), {
    in: 5000,
    before: { status: 'pending' },
    then: { failure_code: 'payment_cancelled' },
  })
})
