import { describe, expect, test } from 'vitest'
import { openStream } from '../../support/gateway/event-stream.ts'
import { type Account, type Json, openAccount, succeeded } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { createPayment } from '../../support/payments/payments.ts'
import { putRules, type Rule } from '../../support/provider/rules.ts'
import { DAY, HOUR, msBetween, shifted } from '../../support/time/instants.ts'
import { listen } from '../../support/webhooks/receiver.ts'

const server = sharedServer()

const setClock = (account: Account, body: Rule): Promise<Json> =>
  succeeded(account.control('PUT', '/clock', { body }))
const clockOf = (account: Account): Promise<Json> => succeeded(account.control('GET', '/clock'))

/** A journal entry in which something of this name happens to the record. */
const happens =
  (type: string, id: string) =>
  ({ events }: Json) =>
    Array.isArray(events) &&
    events.some((event: Json) => event.type === type && JSON.stringify(event).includes(id))

/** An account in which a payment succeeds after an hour of its own time. */
async function hourLong(settings: Rule = {}) {
  const account = await openAccount(server(), settings)
  await putRules(account, { outcome: { after: '1h', status: 'succeeded' } })
  const stream = await openStream(server(), account)
  const payment = await createPayment(account)
  return { account, payment, succeeds: () => stream.until(happens('PaymentSucceeded', payment.id)) }
}

const FAST = 1_000_000

describe('a clock that runs fast', () => {
  test.each([FAST, `${FAST}x`])('lets an hour pass without an advance: %s', async rate => {
    const { account, payment, succeeds } = await hourLong()
    const start = await account.now()
    await setClock(account, { mode: 'real', rate })
    await succeeds()
    const paid = await account.read(payment.id)
    expect(paid.status).toBe('succeeded')
    expect(msBetween(start, paid.updated_at)).toBeGreaterThanOrEqual(HOUR)
  })

  test('sends webhooks and their retries', async () => {
    const { account, payment } = await hourLong()
    const receiver = await listen(account)
    receiver.reply(nth => ({ status: nth < 4 ? 500 : 204 }))
    await setClock(account, { mode: 'real', rate: FAST })
    const deliveries = await receiver.arrived(4)
    expect(deliveries.map(({ event }) => event.data.id)).toEqual(Array(4).fill(payment.id))
  })

  test('can be set when a merchant is created', async () => {
    const { succeeds } = await hourLong({ clock: { mode: 'real', rate: FAST } })
    await succeeds()
  })

  test('reports its rate, and cannot be advanced', async () => {
    const account = await openAccount(server())
    await setClock(account, { mode: 'real', rate: '60x' })
    expect(await clockOf(account)).toMatchObject({ mode: 'real', rate: 60 })
    expect((await account.control('POST', '/clock/advance', { body: { by: '1s' } })).status).toBe(422)
  })

  test('at rate 60 does not pass an hour at once', async () => {
    const { account, payment } = await hourLong()
    await setClock(account, { mode: 'real', rate: 60 })
    expect((await account.read(payment.id)).status).toBe('pending')
  })
})

describe('timers survive a change of the clock', () => {
  test('from slow to fast: a timer an hour away fires soon', async () => {
    const { account, succeeds } = await hourLong({ clock: { mode: 'real' } })
    await setClock(account, { mode: 'real', rate: FAST })
    await succeeds()
  })

  test('from real to virtual and on to fast', async () => {
    const { account, succeeds } = await hourLong({ clock: { mode: 'real' } })
    await setClock(account, { mode: 'virtual' })
    await setClock(account, { mode: 'real', rate: FAST })
    await succeeds()
  })

  test('from real to virtual: timers fire only on an advance, at their time', async () => {
    const { account, payment } = await hourLong({ clock: { mode: 'real' } })
    await setClock(account, { mode: 'virtual' })
    const { created_at } = payment
    await succeeded(
      account.control('POST', '/clock/advance', { body: { to: shifted(created_at, HOUR - 1) } }),
    )
    expect((await account.read(payment.id)).status).toBe('pending')
    await account.advance('1ms')
    expect(await account.read(payment.id)).toMatchObject({
      status: 'succeeded',
      updated_at: shifted(created_at, HOUR),
    })
  })

  test('setting a virtual clock forward fires what is due by then', async () => {
    const { account, payment } = await hourLong()
    await setClock(account, { mode: 'virtual', now: shifted(payment.created_at, 2 * HOUR) })
    expect((await account.read(payment.id)).status).toBe('succeeded')
  })
})

describe('time never runs backwards', () => {
  test('through changes of mode and rate, for the clock and its timestamps', async () => {
    const account = await openAccount(server())
    await account.advance('400d')
    let last = await account.now()
    for (const body of [
      { mode: 'real' },
      { mode: 'virtual' },
      { mode: 'real', rate: 5000 },
      { mode: 'real', rate: 1 },
      { mode: 'virtual' },
      { mode: 'real', rate: 0.001 },
      { mode: 'virtual' },
    ]) {
      await setClock(account, body)
      const { created_at } = await createPayment(account)
      const now = await account.now()
      expect([last, created_at, now].toSorted(), JSON.stringify(body)).toEqual([last, created_at, now])
      last = now
    }
  })

  test('a fast clock that becomes virtual stops at its current time', async () => {
    const { account, succeeds } = await hourLong()
    const start = await account.now()
    await setClock(account, { mode: 'real', rate: FAST })
    await succeeds()
    await setClock(account, { mode: 'virtual' })
    const stood = await account.now()
    expect(msBetween(start, stood)).toBeGreaterThanOrEqual(HOUR)
    expect((await createPayment(account)).created_at).toBe(stood)
    expect(await account.now()).toBe(stood)
  })

  // At this rate the wall would need minutes to come up to it.
  test('an account ten years ahead of the wall clock continues from there', async () => {
    const now = shifted(new Date().toISOString(), 3650 * DAY)
    const { account, succeeds } = await hourLong({ clock: { mode: 'virtual', now } })
    await setClock(account, { mode: 'real', rate: FAST })
    await succeeds()
  })

  test('an account ahead of the wall clock does not jump back to it', async () => {
    const account = await openAccount(server())
    await account.advance('3650d')
    const ahead = await account.now()
    await setClock(account, { mode: 'real' })
    expect(msBetween(ahead, await account.now())).toBeGreaterThanOrEqual(0)
  })
})
