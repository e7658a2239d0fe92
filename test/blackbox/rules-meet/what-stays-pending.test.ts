import { describe, expect, test } from 'vitest'
import { type Account, type Json, openAccount } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { expectError } from '../../support/http/answers.ts'
import { png } from '../../support/payments/receipt-images.ts'
import { upload } from '../../support/payments/receipts.ts'

/** The action's expiry, a receipt, a cancellation and the intent's own expiry: which of them waits for which. */

const server = sharedServer()

type Rule = Record<string, unknown>
const EXPIRES = { action: { expires_after: '30m' } }

async function accountWith(rule: Rule): Promise<Account> {
  const account = await openAccount(server())
  const answer = await account.control('PUT', '/rules', { body: { rules: [{ ...EXPIRES, ...rule }] } })
  expect(answer.status, answer.text).toBe(200)
  return account
}

/** Merchant mode shows the instructions, hosted mode the page: the same rules hold for both. */
const modes: [string, (account: Account, changes?: Rule) => Promise<Json>][] = [
  ['merchant', account => account.pay('probe_receipt')],
  ['hosted', account => account.payHosted({ payment_method: 'probe_receipt' })],
]
const OVER = { status: 'processing', next_action: null, processing_reason: 'asynchronous' }
const movesOf = async (account: Account, { id }: Json): Promise<string[]> => {
  const { body } = await account.control('GET', `/payments/${id}`)
  return body.moves.map(({ trigger }: { trigger: string }) => trigger)
}

describe.each(modes)('in %s mode, the action stays past its expiry', (_, pay) => {
  test('while a cancellation asked for at 29:58 is in flight', async () => {
    const account = await accountWith({ cancel: { after: '1h', outcome: 'cancelled' } })
    const made = await pay(account)
    await account.advance('29m58s')
    expect((await account.cancel(made.id)).status).toBe(202)
    await account.advance('2s')
    expect(await account.read(made.id)).toMatchObject({ status: 'pending', next_action: made.next_action })
    await account.advance('59m57s')
    expect((await account.read(made.id)).status).toBe('pending')
    await account.advance('1s')
    expect(await account.read(made.id)).toMatchObject({ failure_code: 'payment_cancelled' })
  })

  test('until the intent expires, if the cancellation is never answered', async () => {
    const account = await accountWith({ cancel: { outcome: 'never' }, expiry: '6h' })
    const made = await pay(account)
    await account.cancel(made.id)
    await account.advance('21599999ms')
    expect(await account.read(made.id)).toMatchObject({ status: 'pending', next_action: made.next_action })
    expect((await account.cancel(made.id)).status).toBe(202)
    await account.advance('1ms')
    expect(await account.read(made.id)).toMatchObject({ status: 'expired', next_action: null })
  })

  test('while a receipt is verified, and while a rejected one awaits its replacement', async () => {
    const account = await accountWith({
      receipt: [
        { after: '1h', verdict: 'reject' },
        { after: '1h', verdict: 'accept' },
      ],
    })
    const made = await pay(account)
    await upload(account, made.id, png(1))
    await account.advance('59m')
    expect(await account.read(made.id)).toMatchObject({
      status: 'pending',
      receipt: { status: 'processing' },
    })
    await account.advance('3m')
    const rejected = await account.read(made.id)
    expect(rejected).toMatchObject({
      status: 'pending',
      next_action: made.next_action,
      receipt: { status: 'rejected', failure_code: 'receipt_rejected' },
    })
    await account.advance('20h')
    expect(await account.read(made.id)).toEqual(rejected)
    expect((await upload(account, made.id, png(2))).status).toBe(200)
    await account.advance('59m59s')
    expect(await account.read(made.id)).toMatchObject({
      status: 'pending',
      receipt: { status: 'processing' },
    })
    await account.advance('1s')
    expect(await account.read(made.id)).toMatchObject({ ...OVER, receipt: { status: 'submitted' } })
  })

  test('but ends on time if the verdict came earlier', async () => {
    const account = await accountWith({ receipt: [{ after: '5m', verdict: 'accept' }] })
    const { id } = await pay(account)
    await upload(account, id, png())
    await account.advance('29m59s')
    expect(await account.read(id)).toMatchObject({ status: 'pending', receipt: { status: 'submitted' } })
    await account.advance('1s')
    expect(await account.read(id)).toMatchObject(OVER)
  })

  test('but ends on a manual acceptance, before the later outcome', async () => {
    const account = await accountWith({ receipt: 'manual', outcome: { after: '10m', status: 'succeeded' } })
    const { id } = await pay(account)
    await upload(account, id, png())
    await account.advance('40m')
    expect((await account.trigger(id, 'accept-receipt')).body).toMatchObject(OVER)
    expect(await account.read(id)).toMatchObject({ ...OVER, receipt: { status: 'submitted' } })
    await account.advance('10m')
    expect((await account.read(id)).status).toBe('succeeded')
  })

  test('but not past the expiry of its intent', async () => {
    for (const hold of [
      (account: Account, id: string) => account.cancel(id),
      (account: Account, id: string) => upload(account, id, png()),
    ]) {
      const account = await accountWith({ cancel: 'manual', receipt: 'manual', expiry: '1h' })
      const { id } = await pay(account)
      await hold(account, id)
      await account.advance('59m59s')
      expect((await account.read(id)).status).toBe('pending')
      await account.advance('1s')
      expect(await account.read(id)).toMatchObject({ status: 'expired', next_action: null })
    }
  })
})

describe('a receipt and a cancellation hold the action together', () => {
  test('an acceptance does not end the action while the cancellation is in flight', async () => {
    const account = await accountWith({ cancel: { after: '2h', outcome: 'failed' }, receipt: 'manual' })
    const { id } = await account.pay('probe_receipt')
    await upload(account, id, png())
    await account.cancel(id)
    await account.advance('1h')
    await account.trigger(id, 'accept-receipt')
    expect(await account.read(id)).toMatchObject({ status: 'pending', receipt: { status: 'submitted' } })
    await account.advance('1h')
    expect(await account.read(id)).toMatchObject({ status: 'failed', receipt: { status: 'submitted' } })
  })

  test('a rejected receipt can be replaced while the cancellation is in flight', async () => {
    const account = await accountWith({ cancel: 'manual', receipt: 'manual' })
    const { id } = await account.pay('probe_receipt')
    await upload(account, id, png(1))
    await account.cancel(id)
    await account.advance('1h')
    await account.trigger(id, 'reject-receipt')
    expect((await upload(account, id, png(2))).status).toBe(200)
    expect(await account.read(id)).toMatchObject({ status: 'pending', receipt: { status: 'processing' } })
  })
})

describe('a held action cannot be withdrawn, and withdrawing is not offered', () => {
  test.each<[string, (account: Account, id: string) => Promise<unknown>]>([
    ['a cancellation in flight', (account, id) => account.cancel(id)],
    ['a verification', (account, id) => upload(account, id, png())],
    [
      'a rejected receipt',
      async (account, id) => {
        await upload(account, id, png())
        await account.trigger(id, 'reject-receipt')
      },
    ],
  ])('held by %s', async (_, hold) => {
    const account = await accountWith({ cancel: 'manual', receipt: 'manual' })
    const made = await account.pay('probe_receipt')
    expect(await movesOf(account, made)).toContain('withdraw-action')
    await hold(account, made.id)
    expect(await movesOf(account, made)).not.toContain('withdraw-action')
    expectError(await account.trigger(made.id, 'withdraw-action'), 422, 'invalid_state')
    expect(await account.read(made.id)).toMatchObject({ status: 'pending', next_action: made.next_action })
  })
})

describe('a hosted payment without a method', () => {
  test('cannot succeed by hand, neither on the control surface nor on its page', async () => {
    const account = await openAccount(server())
    const made = await account.payHosted()
    expect(await movesOf(account, made)).toEqual(['withdraw-action', 'fail', 'expire'])
    expectError(await account.trigger(made.id, 'succeed'), 422, 'invalid_state')
    const { url } = made.next_action
    expect(await (await fetch(url)).text()).not.toContain('value="succeed"')
    const sent = await fetch(url, { method: 'POST', body: new URLSearchParams({ act: 'succeed' }) })
    expect(sent.status).toBe(422)
    expect(await account.read(made.id)).toEqual(made)
  })
})

describe('the verdict, the end of the action and the outcome', () => {
  const rule = {
    receipt: [{ after: '1h', verdict: 'accept' }],
    outcome: { after: '1h', status: 'succeeded' },
  }

  /** What a payment became, and when, from the time at which it was created. */
  async function advanced(...steps: string[]) {
    const account = await accountWith(rule)
    const { id } = await account.pay('probe_receipt')
    await upload(account, id, png())
    for (const step of steps) await account.advance(step)
    const { id: _, created_at, updated_at, ...end } = await account.read(id)
    const since = (at: string) => Date.parse(at) - Date.parse(created_at)
    const { data } = (await account.control('GET', `/history/${id}`)).body
    const history = data.map(({ at, events }: { at: string; events: { type: string }[] }) => [
      since(at),
      events.map(({ type }) => type),
    ])
    return { end, changedAfter: since(updated_at), history }
  }

  test('all happen in a long advance', async () => {
    const account = await accountWith(rule)
    const { id } = await account.pay('probe_receipt')
    await upload(account, id, png())
    await account.advance('90m')
    expect(await account.read(id)).toMatchObject({ ...OVER, receipt: { status: 'submitted' } })
    await account.advance('10h')
    expect((await account.read(id)).status).toBe('succeeded')
  })

  test('happen at the same times in one long advance as in many short ones', async () => {
    const long = await advanced('12h')
    expect(long.end).toMatchObject({ status: 'succeeded', receipt: { status: 'submitted' } })
    expect(await advanced(...Array.from({ length: 72 }, () => '10m'))).toEqual(long)
    expect(await advanced('59m59s', '1s', '59m59s', '1s', '10h')).toEqual(long)
  })
})
