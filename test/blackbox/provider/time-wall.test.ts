import { request } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { openStream } from '../../support/gateway/event-stream.ts'
import { type Account, type Json, openAccount, rows, succeeded } from '../../support/gateway/merchant.ts'
import type { Server } from '../../support/gateway/server.ts'
import { ownServer } from '../../support/gateway/shared-server.ts'
import {
  createPayment,
  createTransfer,
  hostedBody,
  postPayment,
  uploadReceipt,
} from '../../support/payments/payments.ts'
import { addPayout, listPayouts } from '../../support/payments/payouts.ts'
import { putFaults } from '../../support/provider/faults.ts'
import { putRules, type Rule } from '../../support/provider/rules.ts'
import { HOUR, MINUTE, msBetween, SECOND, shifted } from '../../support/time/instants.ts'
import { aWall } from '../../support/time/wall.ts'
import { listen } from '../../support/webhooks/receiver.ts'

/** A server whose wall clock the test moves, and an account of it whose time runs. */
async function onAWall(settings: Rule = {}) {
  const wall = await aWall()
  const server = await ownServer({ env: wall.env })
  const account = await openAccount(server, { clock: { mode: 'real' }, ...settings })
  return { wall, server, account }
}

const HOURLY = { action: { expires_after: '10m' }, outcome: { after: '1h', status: 'succeeded' } }
const PAYOUT = {
  match: { kind: 'payout' },
  approval: { after: '10m' },
  outcome: { after: '1h', status: 'succeeded' },
}

/** Every way to look at an account, each with what it must show once the hour is over. */
const LOOKS: Record<string, (at: Scene) => Promise<void>> = {
  'a payment': async ({ account, payment }) => {
    expect(await account.read(payment.id)).toMatchObject({
      status: 'succeeded',
      updated_at: shifted(payment.created_at, HOUR),
    })
  },
  'the list of payouts': async ({ account, payout }) => {
    const { data } = await succeeded(listPayouts(account, { status: 'succeeded' }))
    expect(data).toMatchObject([
      { id: payout.id, updated_at: shifted(payout.created_at, HOUR + 10 * MINUTE) },
    ])
  },
  'a create that is repeated': async ({ account, payment }) => {
    await createPayment(account)
    expect(await account.read(payment.id)).toMatchObject({ status: 'succeeded' })
  },
  'the payer’s page': async ({ atBank }) => {
    const page = await (await fetch(atBank.next_action.url)).text()
    expect(page).toContain('data-live')
    const [, shown] = /data-now="(\d+)"/.exec(page) ?? []
    expect(Number(shown) - Date.parse(atBank.created_at)).toBeGreaterThanOrEqual(2 * HOUR)
  },
  'the control surface’s payment': async ({ account, payment }) => {
    const shown = await succeeded(account.control('GET', `/payments/${payment.id}`))
    expect(shown).toMatchObject({ status: 'succeeded' })
  },
  'the control surface’s payments': async ({ account, payment }) => {
    const shown = await rows(account.control('GET', '/payments'))
    expect(shown.find(({ id }) => id === payment.id)).toMatchObject({ status: 'succeeded' })
  },
  'the control surface’s payouts': async ({ account }) => {
    expect(await rows(account.control('GET', '/payouts'))).toMatchObject([{ status: 'succeeded' }])
  },
  'the dashboard’s list': async ({ account, payment }) => {
    const { data } = await succeeded(account.control('GET', '/browse/payments?status=succeeded'))
    expect(data).toMatchObject([{ id: payment.id }])
  },
  'the overview': async ({ account }) => {
    const { payments, payouts } = await succeeded(account.control('GET', '/overview'))
    expect([payments.by_status.succeeded, payouts.by_status.succeeded]).toEqual([1, 1])
  },
  'the timers': async ({ account }) => {
    const [clock, timers] = [
      await succeeded(account.control('GET', '/clock')),
      await rows(account.control('GET', '/timers')),
    ]
    for (const { due_at } of timers) expect(msBetween(clock.now, due_at)).toBeGreaterThan(0)
  },
  'the clock': async ({ account }) => {
    const { now, next_due } = await succeeded(account.control('GET', '/clock'))
    expect(msBetween(now, next_due)).toBeGreaterThan(0)
  },
  'the events': async ({ account, payment, payout }) => {
    const events = await rows(account.control('GET', '/events'))
    expect(events.map(({ data }) => data.id)).toEqual([payment.id, payout.id])
  },
  'a history': async ({ account, payment }) => {
    const entries = await rows(account.control('GET', `/history/${payment.id}`))
    expect(entries.at(-1)).toMatchObject({ at: shifted(payment.created_at, HOUR), by: 'timer' })
  },
  'a timeline': async ({ account, payment }) => {
    const line = await succeeded(account.control('GET', `/timeline/${payment.id}`))
    expect(JSON.stringify(line)).toContain('PaymentSucceeded')
  },
  'an export': async ({ account, payment }) => {
    const { entries } = await succeeded(account.control('GET', '/export'))
    expect(JSON.stringify(entries.flatMap(({ events }: Json) => events))).toContain(
      `"type":"PaymentSucceeded","payment":"${payment.id}"`,
    )
  },
  'the metrics': async ({ account, server, timers }) => {
    const { text } = await server.control('GET', '/metrics')
    const [, pending] = new RegExp(`paysim_pending_timers{account="${account.id}"} (\\d+)`).exec(text) ?? []
    expect(Number(pending)).toBeLessThan(timers)
  },
  'the start of a stream': async ({ account, server, seq }) => {
    const stream = await openStream(server, account)
    const { seq: shown } = await stream.until(message => message.account === account.id)
    expect(shown).toBeGreaterThan(seq)
  },
}

interface Scene {
  account: Account
  server: Server
  payment: Json
  atBank: Json
  payout: Json
  /** How many timers were pending, and the number of the last entry, before the wall went on. */
  timers: number
  seq: number
}

async function scene(server: Server): Promise<Scene> {
  const account = await openAccount(server, { clock: { mode: 'real' } })
  await putRules(
    account,
    PAYOUT,
    { match: { method: 'th_mobile_banking' }, action: { expires_after: '3h' }, outcome: 'manual' },
    HOURLY,
  )
  const payment = await createPayment(account)
  const payout = await addPayout(account)
  const atBank = await createPayment(account, { payment_method: 'th_mobile_banking' })
  const { pending_timers: timers } = await succeeded(account.control('GET', '/clock'))
  const { entries } = await succeeded(account.control('GET', '/export'))
  return { account, server, payment, atBank, payout, timers, seq: entries.length }
}

test('after two hours of sleep, every read shows what became due', async () => {
  const wall = await aWall()
  const server = await ownServer({ env: wall.env })
  const scenes: [string, Scene][] = []
  for (const name of Object.keys(LOOKS)) scenes.push([name, await scene(server)])
  wall.shift(2 * HOUR)
  const wrong: string[] = []
  await Promise.all(
    scenes.map(async ([name, at]) => {
      await LOOKS[name]?.(at).catch(cause => wrong.push(`${name}: ${cause}`))
    }),
  )
  expect(wrong).toEqual([])
})

test('timers set by overdue timers fire at their own time, not when somebody reads', async () => {
  const { wall, account } = await onAWall()
  await putRules(account, {
    receipt: [{ after: '5s', verdict: 'accept' }],
    outcome: { after: '30m', status: 'succeeded' },
  })
  const { id } = await createTransfer(account)
  const { updated_at } = await succeeded(uploadReceipt(account, id, 'key'))
  wall.shift(2 * HOUR)
  expect(await account.read(id)).toMatchObject({
    status: 'succeeded',
    receipt: { status: 'submitted' },
    updated_at: shifted(updated_at, 30 * MINUTE + 5 * SECOND),
  })
})

test('the timers of an idle account fire, and its stream and webhooks continue', async () => {
  const { wall, account, server } = await onAWall()
  await putRules(account, HOURLY)
  const receiver = await listen(account)
  const stream = await openStream(server, account)
  const { id } = await createPayment(account)
  wall.shift(2 * HOUR)
  await stream.until(({ events }) => events?.some((event: Json) => event.type === 'PaymentSucceeded'))
  const [delivery] = await receiver.arrived(1)
  expect(delivery?.event).toMatchObject({ type: 'payment.succeeded', data: { id } })
})

test("a payer's open page gets the time that passed", async () => {
  const { wall, account } = await onAWall()
  const { next_action, created_at } = await succeeded(postPayment(account, hostedBody()))
  const page = await (await fetch(next_action.url)).text()
  const [, live = ''] = /data-live="([^"]+)"/.exec(page) ?? []
  const leaving = new AbortController()
  onTestFinished(() => leaving.abort())
  const stream = await fetch(new URL(live.replaceAll('&amp;', '&'), next_action.url), {
    signal: leaving.signal,
  })
  let text = ''
  for await (const chunk of stream.body ?? []) {
    if (text === '') wall.shift(10 * MINUTE)
    text += Buffer.from(chunk).toString()
    const told = [...text.matchAll(/"now":(\d+)/g)].map(([, now]) => Number(now) - Date.parse(created_at))
    if (told.some(passed => passed >= 10 * MINUTE)) return
  }
  expect.unreachable('the stream ended')
})

test('a call delayed by a fault answers with the state at the time of its answer', async () => {
  const { wall, account } = await onAWall()
  await putRules(account, HOURLY)
  const { id } = await createPayment(account)
  await putFaults(account, { on: 'GET /payment_intents/:id', type: 'latency', delay: '500ms' })
  const reading = account.read(id)
  wall.shift(2 * HOUR)
  expect(await reading).toMatchObject({ status: 'succeeded' })
})

test('a slowly sent request is judged at the time its body is complete', async () => {
  const { wall, account, server } = await onAWall()
  await putRules(account, { action: { expires_after: '10m' } })
  const { id } = await createPayment(account)
  const { public_key, secret_key } = account.keys
  const sending = request(`${server.url}/payment_intents/${id}/receipt`, {
    method: 'POST',
    auth: `${public_key}:${secret_key}`,
    headers: { 'content-type': 'application/json' },
  })
  const answered = new Promise<number | undefined>(resolve =>
    sending.once('response', response => resolve(response.resume().statusCode)),
  )
  sending.write('{"asset_id":')
  await account.read(id)
  wall.shift(2 * HOUR)
  sending.end('"ast_000000000000000000000000"}')
  expect(await answered).toBeGreaterThanOrEqual(400)
  const [presented, withdrawn] = await rows(account.control('GET', `/history/${id}`))
  expect([presented.by, withdrawn]).toMatchObject(['merchant', { by: 'timer' }])
})

test('setting the clock forward fires follow-up timers at their own time', async () => {
  const { account } = await onAWall({ clock: { mode: 'virtual' } })
  await putRules(account, PAYOUT, HOURLY)
  const payment = await createPayment(account)
  const payout = await addPayout(account)
  const now = shifted(payment.created_at, 2 * HOUR)
  await succeeded(account.control('PUT', '/clock', { body: { mode: 'virtual', now } }))
  expect(await account.read(payment.id)).toMatchObject({
    status: 'succeeded',
    updated_at: shifted(payment.created_at, HOUR),
  })
  const { data } = await succeeded(listPayouts(account))
  expect(data).toMatchObject([{ id: payout.id, status: 'succeeded' }])
})

test('a wall clock set back delays nothing', async () => {
  const { wall, account } = await onAWall()
  await putRules(account, { outcome: { after: '1s', status: 'succeeded' } })
  const receiver = await listen(account)
  const { id, created_at } = await createPayment(account)
  wall.shift(-HOUR)
  await receiver.arrived(1)
  const paid = await account.read(id)
  expect(paid).toMatchObject({ status: 'succeeded', updated_at: shifted(created_at, SECOND) })
})

test("time keeps the account's rate while the wall clock is behind, then follows it again", async () => {
  const { wall, account } = await onAWall()
  await succeeded(account.control('PUT', '/clock', { body: { mode: 'real', rate: 3600 } }))
  const before = await account.now()
  wall.shift(-HOUR)
  const after = await account.now()
  expect(msBetween(before, after)).toBeGreaterThan(0)
  expect(msBetween(before, after)).toBeLessThan(30 * 3600 * SECOND)
  wall.shift(0)
  expect(msBetween(after, await account.now())).toBeGreaterThan(0)
  wall.shift(MINUTE)
  const ahead = await account.now()
  expect(msBetween(after, ahead)).toBeGreaterThanOrEqual(60 * HOUR)
})

test.each(['stop', 'kill'] as const)(
  'a server started on a set-back wall clock continues from its last time: %s',
  async how => {
    const { wall, server, account } = await onAWall()
    await putRules(account, { outcome: { after: '10m', status: 'succeeded' } })
    const { created_at } = await createPayment(account)
    // After a crash, the time is that of the last entry; a clean stop writes down its own.
    const before = how === 'stop' ? await account.now() : created_at
    await server[how]()
    wall.shift(-HOUR)
    const again = await ownServer({ env: wall.env, dataDir: server.dataDir })
    const clock = () => again.control('GET', `/accounts/${account.id}/clock`)
    const after = (await succeeded(clock())).now
    expect(msBetween(before, after)).toBeGreaterThanOrEqual(0)
    await expect.poll(async () => msBetween(after, (await succeeded(clock())).now)).toBeGreaterThan(0)
  },
)
