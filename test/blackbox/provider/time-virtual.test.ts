import { describe, expect, test } from 'vitest'
import { type Account, type Json, openAccount, rows, succeeded } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { createPayment, createTransfer, uploadReceipt } from '../../support/payments/payments.ts'
import { addPayout } from '../../support/payments/payouts.ts'
import { putRules, type Rule } from '../../support/provider/rules.ts'
import { DAY, HOUR, msBetween, SECOND, shifted } from '../../support/time/instants.ts'
import { listen } from '../../support/webhooks/receiver.ts'
import { ATTEMPTS } from '../../support/webhooks/schedule.ts'

const server = sharedServer()

const advance = (account: Account, body: Rule): Promise<Json> =>
  succeeded(account.control('POST', '/clock/advance', { body }))

const clockOf = (account: Account): Promise<Json> => succeeded(account.control('GET', '/clock'))

/** The three ways to get an account to the same instant. */
const journeys: [string, (account: Account, start: string, ms: number) => Promise<Json>][] = [
  ['by', (account, _, ms) => advance(account, { by: `${ms}ms` })],
  ['to', (account, start, ms) => advance(account, { to: shifted(start, ms) })],
  ['until idle', account => advance(account, { until: 'idle' })],
]

async function accountWith(...rules: Rule[]): Promise<Account> {
  const account = await openAccount(server())
  await putRules(account, ...rules)
  return account
}

describe.each(journeys)('advance %s', (_, go) => {
  test('fires many timers of one instant in the order they were set', async () => {
    const account = await accountWith({ outcome: { after: '1h', status: 'succeeded' } })
    const receiver = await listen(account)
    const start = await account.now()
    const ids: string[] = []
    for (let made = 0; made < 40; made += 1) ids.push((await createPayment(account)).id)
    expect(await go(account, start, HOUR)).toMatchObject({ now: shifted(start, HOUR) })
    const events = await rows(account.control('GET', '/events'))
    expect(events.map(({ data }) => data.id)).toEqual(ids)
    expect(receiver.deliveries.map(({ event }) => event.data.id)).toEqual(ids)
    expect(new Set(events.map(({ timestamp }) => timestamp))).toEqual(new Set([shifted(start, HOUR)]))
  })

  test('fires timers of several instants in time order, whatever order they were set in', async () => {
    const account = await accountWith(
      ...[3, 1, 4, 2].map(hours => ({
        match: { merchant_reference: `${hours}h` },
        outcome: { after: `${hours}h`, status: 'succeeded' },
      })),
    )
    const start = await account.now()
    for (const hours of [3, 1, 4, 2]) await createPayment(account, { merchant_reference: `${hours}h` })
    await go(account, start, 4 * HOUR)
    const events = await rows(account.control('GET', '/events'))
    expect(events.map(({ data }) => data.merchant_reference)).toEqual(['1h', '2h', '3h', '4h'])
    expect(events.map(({ timestamp }) => msBetween(start, timestamp) / HOUR)).toEqual([1, 2, 3, 4])
  })

  test('fires timers set by fired timers, each at its own time', async () => {
    const account = await accountWith(
      { match: { kind: 'payout' }, approval: { after: '1h' }, outcome: { after: '1h', status: 'succeeded' } },
      { receipt: [{ after: '5s', verdict: 'accept' }], outcome: { after: '30s', status: 'succeeded' } },
    )
    const receiver = await listen(account)
    const start = await account.now()
    const transfer = await createTransfer(account)
    await succeeded(uploadReceipt(account, transfer.id, 'key'))
    const payout = await addPayout(account)
    const arrival = await go(account, start, 2 * HOUR)
    expect(arrival).toMatchObject({ now: shifted(start, 2 * HOUR), idle: true })
    expect(arrival.fired).toBeGreaterThanOrEqual(6)
    expect(
      receiver.deliveries.map(({ event }) => [event.data.id, msBetween(start, event.timestamp)]),
    ).toEqual([
      [transfer.id, 35 * SECOND],
      [payout.id, 2 * HOUR],
    ])
  })

  test('returns after every webhook has been answered', async () => {
    const account = await accountWith({ outcome: { after: '1m', status: 'succeeded' } })
    const receiver = await listen(account)
    for (let made = 0; made < 10; made += 1) await createPayment(account)
    await go(account, await account.now(), 60_000)
    expect(receiver.answered()).toBe(10)
    expect(await clockOf(account)).toMatchObject({ pending_timers: 0, next_due: null })
  })
})

test('many small steps give the same history as one large one', async () => {
  const rule = {
    action: { after: '7s', expires_after: '13s' },
    outcome: { after: '29s', status: 'failed', code: 'same' },
  }
  const [small, large] = [await accountWith(rule), await accountWith(rule)]
  const [stepped, jumped] = [await createPayment(small), await createPayment(large)]
  for (let step = 0; step < 60; step += 1) await advance(small, { by: '1s' })
  await advance(large, { by: '1m' })
  const journal = async (account: Account, { id, created_at }: Json) => {
    const entries = await rows(account.control('GET', `/history/${id}`))
    return entries.map(({ at, events }) => [
      msBetween(created_at, at),
      events.map(({ type }: { type: string }) => type),
    ])
  }
  expect(await journal(small, stepped)).toEqual(await journal(large, jumped))
})

test('two concurrent advances run one after the other', async () => {
  const account = await accountWith({ outcome: { after: '90m', status: 'succeeded' } })
  const start = await account.now()
  const { id } = await createPayment(account)
  await Promise.all([advance(account, { by: '1h' }), advance(account, { by: '1h' })])
  expect(msBetween(start, await account.now())).toBe(2 * HOUR)
  expect((await account.read(id)).updated_at).toBe(shifted(start, 90 * 60 * SECOND))
})

describe('until idle', () => {
  test('stops at max, and continues from there the next time', async () => {
    const account = await accountWith(
      { match: { merchant_reference: 'soon' }, outcome: { after: '1h', status: 'succeeded' } },
      { outcome: { after: '3h', status: 'succeeded' } },
    )
    const start = await account.now()
    const soon = await createPayment(account, { merchant_reference: 'soon' })
    const late = await createPayment(account)
    expect(await advance(account, { until: 'idle', max: '2h' })).toMatchObject({ idle: false })
    expect((await account.read(soon.id)).status).toBe('succeeded')
    expect((await account.read(late.id)).status).toBe('pending')
    expect(await advance(account, { until: 'idle' })).toEqual({
      now: shifted(start, 3 * HOUR),
      fired: expect.any(Number),
      idle: true,
    })
    expect((await account.read(late.id)).status).toBe('succeeded')
  })

  test('makes all ten attempts of each webhook to a receiver that never accepts, each on time', async () => {
    const account = await accountWith({ outcome: { after: '1h', status: 'succeeded' } })
    const receiver = await listen(account)
    receiver.reply(() => ({ status: 500 }))
    const start = await account.now()
    const ids = [
      await createPayment(account),
      await createPayment(account),
      await createPayment(account),
    ].map(({ id }) => id)
    const arrival = await advance(account, { until: 'idle' })
    expect(arrival).toMatchObject({ now: shifted(start, HOUR + (ATTEMPTS.at(-1) ?? 0)), idle: true })
    for (const id of ids)
      expect(receiver.deliveries.filter(({ event }) => event.data.id === id)).toHaveLength(10)
    for (const { status, attempts } of await rows(account.control('GET', '/webhook-deliveries'))) {
      expect(status).toBe('failed')
      const times = attempts.map((attempt: Json) => msBetween(start, attempt.started_at) - HOUR)
      expect(times).toEqual(ATTEMPTS)
    }
  })

  test('delivers every webhook to a receiver that was down for a day', async () => {
    const account = await accountWith({ outcome: { after: '0s', status: 'succeeded' } })
    const receiver = await listen(account)
    receiver.reply(() => ({ status: 503 }))
    const ids = [await createPayment(account), await createPayment(account)].map(({ id }) => id)
    await advance(account, { by: `${DAY}ms` })
    receiver.reply(() => ({ status: 204 }))
    const before = receiver.deliveries.length
    await advance(account, { until: 'idle' })
    expect(
      receiver.deliveries
        .slice(before)
        .map(({ event }) => event.data.id)
        .toSorted(),
    ).toEqual(ids.toSorted())
  })
})
