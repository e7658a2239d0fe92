import { expect, test, vi } from 'vitest'
import {
  type Account,
  type Json,
  openAccount,
  openMerchant,
  rows,
  succeeded,
} from '../support/gateway/merchant.ts'
import { fileServer } from '../support/gateway/shared-server.ts'
import { allAtOnce, CLIENTS } from '../support/http/clients.ts'
import { createPayment, createTransfer, uploadReceipt } from '../support/payments/payments.ts'
import {
  addPayout,
  addPayouts,
  cancelPayout,
  idsOf,
  movePayout,
  walkPages,
} from '../support/payments/payouts.ts'
import { TIMEOUT_MS } from '../support/torture/tally.ts'
import { listen, settle } from '../support/webhooks/receiver.ts'

// Many clients use one account at once. No request may see a state that never existed.

// Two hundred requests take long on a busy machine.
vi.setConfig({ testTimeout: TIMEOUT_MS })

const server = fileServer()

test('paging during payout creation returns each earlier payout and none twice', async () => {
  const account = await openAccount(server())
  const there = await addPayouts(account, 60)
  const creation = allAtOnce(() => addPayout(account))
  const walkers = await allAtOnce(async () => idsOf((await walkPages(account, { limit: 7 })).flat()), 20)
  for (const seen of walkers) {
    expect(new Set(seen).size).toBe(seen.length)
    expect(seen).toEqual(expect.arrayContaining(idsOf(there)))
  }
  const made = await creation
  const all = idsOf((await walkPages(account, { limit: 100 })).flat())
  expect(all.sort()).toEqual(idsOf([...there, ...made]).sort())
})

test('paging while payouts change status returns the complete list in order', async () => {
  const account = await openAccount(server())
  const payouts = await addPayouts(account, 100)
  const moves = payouts.map(({ id }) => movePayout(account, id, 'approve'))
  const walks = await allAtOnce(() => walkPages(account, { limit: 9 }), 10)
  await Promise.all(moves)
  const order = idsOf((await walkPages(account, { limit: 100 })).flat())
  for (const walk of walks) expect(idsOf(walk.flat())).toEqual(order)
})

/** Creates a record as one client, uses it and brings it to its end. Returns its id. */
async function liveThrough(account: Account, client: number): Promise<string> {
  if (client % 4 === 0) {
    const { id } = await addPayout(account)
    await succeeded(cancelPayout(account, id, { reason: `client ${client}` }))
    return id
  }
  const payment = client % 4 === 1 ? await createTransfer(account) : await createPayment(account)
  if (client % 4 === 1) await succeeded(uploadReceipt(account, payment.id, `key ${client}`, client))
  if (client % 4 === 2) await succeeded(account.cancel(payment.id))
  expect((await account.read(payment.id)).status).toBe('pending')
  await succeeded(account.trigger(payment.id, client % 2 ? 'succeed' : 'fail'))
  return payment.id
}

test('each of 200 records has one terminal event, which matches the record as read', async () => {
  const account = await openAccount(server())
  const receiver = await listen(account)
  const ids = await allAtOnce(client => liveThrough(account, client))
  await settle(account)
  expect(receiver.deliveries.map(({ event }) => event.data.id).sort()).toEqual([...ids].sort())

  const payouts = new Map(
    (await walkPages(account, { limit: 100 })).flat().map(payout => [payout.id, payout]),
  )
  for (const { event } of receiver.deliveries) {
    const { cancel_reason, ...data } = event.data
    const read = payouts.get(data.id) ?? (await account.read(data.id))
    expect(data).toEqual(read)
    expect(event.type).toBe(`${data.object === 'payout_intent' ? 'payout' : 'payment'}.${read.status}`)
    expect(cancel_reason === undefined).toBe(data.object !== 'payout_intent')
  }
})

test('no later read contradicts an earlier answer', async () => {
  const account = await openAccount(server())
  const { id } = await createPayment(account)
  const told: Json[] = []
  const reads = allAtOnce(async client => {
    if (client === CLIENTS / 2) await succeeded(account.trigger(id, 'succeed'))
    const before = told.some(payment => payment.status === 'succeeded')
    const payment = await account.read(id)
    if (before) expect(payment.status).toBe('succeeded')
    told.push(payment)
  })
  await reads
  expect(new Set(told.map(({ status }) => status))).toContain('succeeded')
})

test('load and clock jumps on one account do not affect the clock or records of another', async () => {
  const [busy, quiet] = [await openMerchant(server()), await openMerchant(server())]
  const kept = await createPayment(quiet.test)
  const now = await quiet.test.now()
  await allAtOnce(client =>
    client % 50 === 0 ? busy.test.advance('24h') : createPayment(busy.test).then(() => {}),
  )
  expect(await quiet.test.now()).toBe(now)
  expect(await quiet.test.read(kept.id)).toEqual(kept)
  expect(await rows(quiet.test.control('GET', '/payments'))).toHaveLength(1)
})

test('concurrent advances of one clock all run, one after the other', async () => {
  const account = await openAccount(server())
  const start = Date.parse(await account.now())
  const answers = await allAtOnce(() => account.advance('1m'), 50)
  expect(Date.parse(await account.now()) - start).toBe(50 * 60_000)
  expect(new Set(answers.map(({ now }) => now)).size).toBe(50)
})

test('payments created while time passes expire exactly 72 h after creation', async () => {
  const account = await openAccount(server())
  const made = await allAtOnce(async client => {
    if (client % 10 === 0) await account.advance('1s')
    return createPayment(account)
  })
  await account.advance('73h')
  for (const { id, created_at } of made) {
    const { status, updated_at } = await account.read(id)
    expect(status).toBe('expired')
    expect(Date.parse(updated_at) - Date.parse(created_at)).toBe(72 * 3_600_000)
  }
})
