import { describe, expect, test } from 'vitest'
import { type Account, openAccount, openMerchant, succeeded } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { expectRefusal, invalid, invalidState } from '../../support/http/refusals.ts'
import { createPayment, createTransfer, uploadReceipt } from '../../support/payments/payments.ts'
import {
  DAY,
  HOUR,
  inOffset,
  MINUTE,
  msBetween,
  RFC_3339_UTC_MS,
  SECOND,
  shifted,
} from '../../support/time/instants.ts'

const server = sharedServer()

const EXPIRY = 72 * HOUR
const clock = (account: Account) => succeeded(account.control('GET', '/clock'))
const setClock = (account: Account, body: Record<string, unknown>) =>
  account.control('PUT', '/clock', { body })
const advance = (account: Account, body: unknown) => account.control('POST', '/clock/advance', { body })

describe('a virtual clock', () => {
  test('does not move while requests are handled', async () => {
    const account = await openAccount(server())
    const before = await clock(account)
    await createPayment(account)
    const after = await clock(account)
    expect(before).toMatchObject({ mode: 'virtual', now: expect.stringMatching(RFC_3339_UTC_MS) })
    expect(after.now).toBe(before.now)
  })

  test('starts where the merchant’s settings say', async () => {
    const now = '2031-05-06T07:08:09.010Z'
    const account = await openAccount(server(), { clock: { mode: 'virtual', now } })
    expect(await account.now()).toBe(now)
    expect((await createPayment(account)).created_at).toBe(now)
  })

  test('advances for its own account only', async () => {
    const [one, other] = [await openMerchant(server()), await openMerchant(server())]
    const before = [await one.live.now(), await other.test.now()]
    await one.test.advance('30d')
    expect([await one.live.now(), await other.test.now()]).toEqual(before)
  })

  test('reports its next timer and how many are pending', async () => {
    const account = await openAccount(server())
    expect(await clock(account)).toMatchObject({ next_due: null, pending_timers: 0 })
    const transfer = await createTransfer(account)
    const waiting = await clock(account)
    expect(waiting.pending_timers).toBeGreaterThan(0)
    await succeeded(uploadReceipt(account, transfer.id, 'key'))
    const verifying = await clock(account)
    expect(verifying.pending_timers).toBeGreaterThan(waiting.pending_timers)
    expect(msBetween(verifying.now, verifying.next_due)).toBe(5 * SECOND)
  })
})

describe('advance by', () => {
  test.each([
    ['0s', 0],
    ['1ms', 1],
    ['250ms', 250],
    ['5s', 5 * SECOND],
    ['10m', 10 * MINUTE],
    ['1h30m', 90 * MINUTE],
    ['24h', DAY],
    ['7d', 7 * DAY],
    ['PT5S', 5 * SECOND],
    ['PT1H30M', 90 * MINUTE],
    ['P1D', DAY],
  ])('%s moves the clock by exactly that much', async (by, ms) => {
    const account = await openAccount(server())
    const before = await account.now()
    const after = await succeeded(advance(account, { by }))
    expect(after.now).toBe(shifted(before, ms))
    expect(after.fired).toBe(0)
    expect(await account.now()).toBe(after.now)
  })

  test.each<[unknown]>([
    [{ by: '' }],
    [{ by: 'soon' }],
    [{ by: '-5s' }],
    [{ by: 5 }],
    [{ by: null }],
    [{ by: '5 parsecs' }],
    [{ to: 'tomorrow' }],
    [{ to: '2031-02-30T00:00:00Z' }],
    [{ to: '2031-02-01T00:00:00' }],
    [{ until: 'later' }],
    [{ until: 'idle', max: 'long' }],
    [{}],
    [[]],
  ])('%j is refused and moves nothing', async body => {
    const account = await openAccount(server())
    const before = await clock(account)
    expectRefusal(await advance(account, body), invalid())
    expect(await clock(account)).toEqual(before)
  })

  test('fires each timer at its own time, not at the end of the jump', async () => {
    const account = await openAccount(server())
    const payment = await createPayment(account)
    const { fired } = await account.advance('30d')
    expect(fired).toBeGreaterThanOrEqual(1)
    expect(await account.read(payment.id)).toMatchObject({
      status: 'expired',
      updated_at: shifted(payment.created_at, EXPIRY),
    })
  })

  test('a timer does not fire one millisecond early', async () => {
    const account = await openAccount(server())
    const { id } = await createPayment(account)
    await account.advance(`${EXPIRY - 1}ms`)
    expect((await account.read(id)).status).not.toBe('expired')
    await account.advance('1ms')
    expect((await account.read(id)).status).toBe('expired')
  })
})

describe('advance to', () => {
  test('an instant in any offset stops the clock exactly there', async () => {
    const account = await openAccount(server())
    const target = shifted(await account.now(), DAY + 1)
    expect(await succeeded(advance(account, { to: inOffset(target, '+07:00') }))).toMatchObject({
      now: target,
    })
  })

  test('the current time is accepted', async () => {
    const account = await openAccount(server())
    const now = await account.now()
    expect(await succeeded(advance(account, { to: now }))).toMatchObject({ now, fired: 0 })
  })

  test('the past is refused', async () => {
    const account = await openAccount(server())
    const now = await account.now()
    expectRefusal(await advance(account, { to: shifted(now, -1) }), invalid())
    expect(await account.now()).toBe(now)
  })
})

describe('advance until idle', () => {
  test('does not move when nothing is pending', async () => {
    const account = await openAccount(server())
    const now = await account.now()
    expect(await succeeded(advance(account, { until: 'idle' }))).toEqual({ now, fired: 0, idle: true })
  })

  test('stops at the last timer', async () => {
    const account = await openAccount(server())
    const { created_at } = await createPayment(account)
    const answer = await succeeded(advance(account, { until: 'idle' }))
    expect(answer).toMatchObject({ now: shifted(created_at, EXPIRY), idle: true })
    expect(await clock(account)).toMatchObject({ next_due: null, pending_timers: 0 })
  })

  test('moves no further than max, and reports that it is not idle', async () => {
    const account = await openAccount(server())
    const start = await account.now()
    const transfer = await createTransfer(account)
    await succeeded(uploadReceipt(account, transfer.id, 'key'))
    const answer = await succeeded(advance(account, { until: 'idle', max: '5s' }))
    expect(answer.idle).toBe(false)
    expect(answer.fired).toBeGreaterThanOrEqual(1)
    expect(msBetween(start, answer.now)).toBe(5 * SECOND)
    expect((await account.read(transfer.id)).receipt.status).toBe('submitted')
  })
})

describe('setting the clock', () => {
  test('forward moves it', async () => {
    const account = await openAccount(server())
    const now = shifted(await account.now(), DAY)
    await succeeded(setClock(account, { mode: 'virtual', now }))
    expect(await clock(account)).toMatchObject({ mode: 'virtual', now })
  })

  test('backwards is refused and moves nothing', async () => {
    const account = await openAccount(server())
    const before = await clock(account)
    expectRefusal(await setClock(account, { mode: 'virtual', now: shifted(before.now, -1) }), invalid())
    expect(await clock(account)).toEqual(before)
  })

  test.each([
    {},
    { mode: 'lunar' },
    { mode: 'virtual', now: 'today' },
    { mode: 'real', rate: -1 },
    { mode: 'real', rate: 'x' },
  ])('%j is refused', async body => {
    const account = await openAccount(server())
    const before = await clock(account)
    expectRefusal(await setClock(account, body), invalid())
    expect(await clock(account)).toEqual(before)
  })

  test('to real and back to virtual never moves it backwards', async () => {
    const account = await openAccount(server())
    await account.advance('400d')
    let last = await account.now()
    for (const mode of ['real', 'virtual', 'real', 'virtual']) {
      await succeeded(setClock(account, { mode }))
      const now = await account.now()
      expect(msBetween(last, now), `after ${mode}`).toBeGreaterThanOrEqual(0)
      last = now
    }
    expect((await clock(account)).mode).toBe('virtual')
  })
})

describe('a real clock', () => {
  test('is the default, and cannot be advanced', async () => {
    const account = await openAccount(server(), { clock: undefined })
    expect(await clock(account)).toMatchObject({ mode: 'real' })
    for (const body of [{ by: '1s' }, { until: 'idle' }]) {
      expectRefusal(await advance(account, body), invalidState)
    }
  })

  test('runs at its rate', async () => {
    const account = await openAccount(server())
    const start = await account.now()
    await succeeded(setClock(account, { mode: 'real', rate: 100_000 }))
    await expect.poll(async () => msBetween(start, await account.now())).toBeGreaterThan(MINUTE)
  })

  test('fires timers without any request', async () => {
    const account = await openAccount(server())
    const { id } = await createPayment(account)
    await account.advance(`${EXPIRY - 1}ms`)
    await succeeded(setClock(account, { mode: 'real' }))
    await expect.poll(async () => (await account.read(id)).status).toBe('expired')
  })
})
