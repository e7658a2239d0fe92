import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Account, openAccount, rows, succeeded } from '../../support/gateway/merchant.ts'
import { scratchDirectory } from '../../support/gateway/serve-process.ts'
import { ownServer, sharedServer } from '../../support/gateway/shared-server.ts'
import { claimedPort } from '../../support/http/claimed-port.ts'
import { createPayment } from '../../support/payments/payments.ts'
import { addPayout, cancelPayout } from '../../support/payments/payouts.ts'
import { HOUR, MINUTE, msBetween, SECOND } from '../../support/time/instants.ts'
import { listen, openReceiver, type Reply, settle, subscribe } from '../../support/webhooks/receiver.ts'
import { GAPS } from '../../support/webhooks/schedule.ts'

const server = sharedServer()

const WHOLE_SCHEDULE = 75 * HOUR + 35 * MINUTE + 5 * SECOND

async function cancelOne(account: Account) {
  const { id } = await addPayout(account)
  await succeeded(cancelPayout(account, id))
  await settle(account)
  return id
}

const untilIdle = (account: Account) =>
  succeeded(account.control('POST', '/clock/advance', { body: { until: 'idle' } }))

const clock = (account: Account) => succeeded(account.control('GET', '/clock'))

/** Passes each gap, looking one millisecond before its end and at its end. */
async function expectAttemptsAfter(account: Account, attempts: () => number, gaps: number[]) {
  for (const [index, gap] of gaps.entries()) {
    await account.advance(`${gap - 1}ms`)
    expect(attempts(), `just before gap ${index + 1} is over`).toBe(index + 1)
    await account.advance('1ms')
    expect(attempts(), `when gap ${index + 1} is over`).toBe(index + 2)
  }
}

describe('a receiver that never accepts', () => {
  test('gets ten attempts at exactly the documented gaps, and then no more', async () => {
    const account = await openAccount(server())
    const receiver = await listen(account)
    receiver.reply(() => ({ status: 500 }))
    await cancelOne(account)
    expect(receiver.deliveries).toHaveLength(1)
    await expectAttemptsAfter(account, () => receiver.deliveries.length, GAPS)
    await account.advance('60d')
    expect(receiver.deliveries).toHaveLength(10)
  })

  test('has had all its attempts after an advance until idle', async () => {
    const account = await openAccount(server())
    const receiver = await listen(account)
    receiver.reply(() => ({ status: 500 }))
    await cancelOne(account)
    const start = await account.now()
    const { now, idle } = await untilIdle(account)
    expect(receiver.deliveries).toHaveLength(10)
    expect(msBetween(start, now)).toBe(WHOLE_SCHEDULE)
    expect(idle).toBe(true)
  })

  test('has had all its attempts after one long jump', async () => {
    const account = await openAccount(server())
    const receiver = await listen(account)
    receiver.reply(() => ({ status: 500 }))
    await cancelOne(account)
    await account.advance('30d')
    expect(receiver.deliveries).toHaveLength(10)
  })

  test('appears in the clock: the next attempt is the next timer', async () => {
    const account = await openAccount(server())
    const receiver = await listen(account)
    receiver.reply(() => ({ status: 500 }))
    await cancelOne(account)
    const { now, next_due, pending_timers } = await clock(account)
    expect(msBetween(now, next_due)).toBe(5 * SECOND)
    expect(pending_timers).toBe(1)
  })
})

const failures: [string, Reply][] = [
  ['500', { status: 500 }],
  ['503', { status: 503 }],
  ['400', { status: 400 }],
  ['404', { status: 404 }],
  ['429', { status: 429 }],
  ['301', { status: 301, headers: { location: '/hook' } }],
  ['302', { status: 302, headers: { location: '/hook' } }],
  ['304', { status: 304 }],
  ['a connection reset', { reset: true }],
]

describe('an attempt fails', () => {
  test.each(failures)('with %s, and is repeated after 5 s', async (_, reply) => {
    const account = await openAccount(server())
    const receiver = await listen(account)
    receiver.reply(nth => (nth === 1 ? reply : { status: 200 }))
    await cancelOne(account)
    await expectAttemptsAfter(account, () => receiver.deliveries.length, [5 * SECOND])
    await account.advance('30d')
    expect(receiver.deliveries).toHaveLength(2)
  })

  test('if nothing listens, and is repeated after 5 s, when something does', async () => {
    const account = await openAccount(server())
    const port = await claimedPort()
    await subscribe(account, `http://127.0.0.1:${port}/hook`)
    await cancelOne(account)
    const { next_due, now } = await clock(account)
    expect(msBetween(now, next_due)).toBe(5 * SECOND)
    const receiver = await openReceiver({ port, path: '/hook' })
    await account.advance('4999ms')
    expect(receiver.deliveries).toHaveLength(0)
    await account.advance('1ms')
    expect(receiver.deliveries).toMatchObject([{ event: { type: 'payout.cancelled' } }])
    const [delivery] = await rows(account.control('GET', '/webhook-deliveries'))
    expect(delivery).toMatchObject({
      status: 'delivered',
      attempts: [{ response: { status: null } }, { response: { status: 204 } }],
    })
  })

  test('if no answer comes within 15 s', async () => {
    const account = await openAccount(server())
    const receiver = await listen(account)
    receiver.reply(nth => (nth === 1 ? { after: new Promise(() => {}) } : {}))
    await cancelOne(account)
    await account.advance('5s')
    expect(receiver.deliveries).toHaveLength(2)
  })
})

describe('an advance with a receiver that never answers', () => {
  test('waits for it only once, reports its delivery, keeps its schedule and serves the others', async () => {
    const account = await openAccount(await ownServer({ args: ['--advance-wait', '1s'] }))
    const [hanging, working] = [await listen(account), await listen(account)]
    hanging.reply(nth => (nth === 1 ? { status: 500 } : { after: new Promise(() => {}) }))
    await cancelOne(account)
    const { timed_out } = await account.advance('7d')
    const deliveries = await rows(account.control('GET', '/webhook-deliveries'))
    const [late, fine] = [hanging, working].map(({ endpoint }) =>
      deliveries.find(delivery => delivery.endpoint === endpoint.id),
    )
    expect(timed_out).toEqual([late?.id])
    expect(late?.status).toBe('failed')
    expect(late?.attempts.length).toBeGreaterThan(3)
    for (const attempt of late?.attempts.slice(1) ?? [])
      expect(JSON.stringify(attempt)).toContain('an advance waits 1s for all receivers together')
    expect(fine).toMatchObject({ status: 'delivered' })
    expect(working.deliveries).toHaveLength(1)
  })

  test('limits the wait for an attempt that started earlier, too', async () => {
    const account = await openAccount(await ownServer({ args: ['--advance-wait', '1s'] }))
    const hanging = await listen(account)
    hanging.reply(() => ({ after: new Promise(() => {}) }))
    const { id } = await addPayout(account)
    await succeeded(cancelPayout(account, id))
    await hanging.arrived(1)
    const { timed_out } = await account.advance('1s')
    const [delivery] = await rows(account.control('GET', '/webhook-deliveries'))
    expect(timed_out).toEqual([delivery?.id])
    const [attempt] = delivery?.attempts ?? []
    expect(attempt.response.error).toBe('no answer: an advance waits 1s for all receivers together')
  })
})

describe('an attempt succeeds', () => {
  test.each([200, 201, 202, 204, 299])('with %i, and is the last', async status => {
    const account = await openAccount(server())
    const receiver = await listen(account)
    receiver.reply(() => ({ status }))
    await cancelOne(account)
    await account.advance('30d')
    expect(receiver.deliveries).toHaveLength(1)
    expect(await clock(account)).toMatchObject({ pending_timers: 0 })
  })
})

describe('410 Gone', () => {
  test('disables the endpoint: no retry, and no later event', async () => {
    const account = await openAccount(server())
    const receiver = await listen(account)
    receiver.reply(() => ({ status: 410 }))
    await cancelOne(account)
    await cancelOne(account)
    await account.advance('30d')
    expect(receiver.deliveries).toHaveLength(1)
  })

  test("does not affect the account's other endpoints", async () => {
    const account = await openAccount(server())
    const [gone, kept] = [await listen(account), await listen(account)]
    gone.reply(() => ({ status: 410 }))
    await cancelOne(account)
    await cancelOne(account)
    expect([gone.deliveries.length, kept.deliveries.length]).toEqual([1, 2])
  })
})

describe('Retry-After', () => {
  test.each([
    [429, 120],
    [503, 3600],
  ])('on a %i delays the next attempt by its %i seconds', async (status, seconds) => {
    const account = await openAccount(server())
    const receiver = await listen(account)
    const refusal = { status, headers: { 'retry-after': String(seconds) } }
    receiver.reply(nth => (nth === 1 ? refusal : {}))
    await cancelOne(account)
    await expectAttemptsAfter(account, () => receiver.deliveries.length, [seconds * SECOND])
  })

  test.each(['soon', '-5', '', '1e9999'])(
    'with an invalid value (%j) does not change the schedule',
    async value => {
      const account = await openAccount(server())
      const receiver = await listen(account)
      receiver.reply(nth => (nth === 1 ? { status: 503, headers: { 'retry-after': value } } : {}))
      await cancelOne(account)
      await expectAttemptsAfter(account, () => receiver.deliveries.length, [5 * SECOND])
    },
  )
})

describe('several endpoints', () => {
  test('have separate schedules: a failure of one does not affect the other', async () => {
    const account = await openAccount(server())
    const [well, ill] = [await listen(account), await listen(account)]
    ill.reply(() => ({ status: 500 }))
    await cancelOne(account)
    await account.advance('5s')
    expect([well.deliveries.length, ill.deliveries.length]).toEqual([1, 2])
  })
})

describe('an advance returns only when everything due is finished', () => {
  test('a slow receiver has finished answering', async () => {
    const account = await openAccount(server())
    const receiver = await listen(account)
    receiver.reply(() => ({ after: new Promise(resolve => setTimeout(resolve, 200)) }))
    const { id } = await createPayment(account)
    await account.advance('72h')
    expect(receiver.answered()).toBe(1)
    expect((await account.read(id)).status).toBe('expired')
  })

  test('also if the delivery had already started', async () => {
    const account = await openAccount(server())
    const receiver = await listen(account)
    receiver.reply(() => ({ after: new Promise(resolve => setTimeout(resolve, 200)) }))
    const { id } = await addPayout(account)
    await succeeded(cancelPayout(account, id))
    await settle(account)
    expect(receiver.answered()).toBe(1)
  })

  test('retries within the jump are sent at their own times', async () => {
    const account = await openAccount(server())
    const receiver = await openReceiver()
    const times: Promise<string>[] = []
    receiver.reply(() => {
      const time = account.now()
      times.push(time)
      return { status: 500, after: time }
    })
    await subscribe(account, receiver.url)
    await cancelOne(account)
    await account.advance('3h')
    const [first = '', ...rest] = await Promise.all(times)
    expect(rest.map(time => msBetween(first, time))).toEqual([
      5 * SECOND,
      5 * MINUTE + 5 * SECOND,
      35 * MINUTE + 5 * SECOND,
      2 * HOUR + 35 * MINUTE + 5 * SECOND,
    ])
  })
})

test('the events.retry switch sets the gaps', async () => {
  const file = join(await scratchDirectory(), 'contract.json')
  await writeFile(file, JSON.stringify({ 'events.retry': ['0s', '10s', '1m'] }))
  const own = await ownServer({ args: ['--contract', file] })
  const account = await openAccount(own)
  const receiver = await listen(account)
  receiver.reply(() => ({ status: 500 }))
  await cancelOne(account)
  await expectAttemptsAfter(account, () => receiver.deliveries.length, [10 * SECOND, MINUTE])
  await account.advance('30d')
  expect(receiver.deliveries).toHaveLength(3)
  expect(await rows(account.control('GET', '/webhook-deliveries'))).toHaveLength(1)
})
