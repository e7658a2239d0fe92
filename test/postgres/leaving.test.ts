import { describe, expect, onTestFinished, test } from 'vitest'
import { startTcpProxy } from '../support/cluster/tcp-proxy.ts'
import { driverOf, type Server, startServer } from '../support/gateway/server.ts'
import { paying } from '../support/payments/requests.ts'
import { workerPostgres } from '../support/postgres/postgres.ts'
import { whyNoPostgres } from '../support/postgres/programs.ts'

/** A process that ends: its calls, and what it leaves to the next one. */

const reason = whyNoPostgres()
if (reason !== undefined) console.warn(`A process that leaves others is not tested here: ${reason}`)

const PAYMENT = paying('th_bank_transfer')
const COMMON = ['--control-token', 'the-token-of-the-whole-cluster', '--public-url', 'http://127.0.0.1:1']

const at = ({ listen, controlToken, accounts }: Server) =>
  driverOf({ url: listen, control_url: `${listen}/_paysim`, control_token: controlToken, accounts })

/** The other process holds the merchant, and is reached through a proxy. */
async function two() {
  const store = await (await workerPostgres()).newDatabase()
  const proxy = await startTcpProxy([])
  onTestFinished(() => proxy.close())
  const one = await startServer({ store, args: COMMON })
  onTestFinished(() => one.kill())
  const advertise = ['--advertise', `http://127.0.0.1:${proxy.port}`]
  const other = await startServer({ store, dataDir: one.dataDir, args: [...COMMON, ...advertise] })
  onTestFinished(() => other.kill())
  proxy.target([Number(new URL(other.listen).port)])
  const merchant = await at(other).merchant({ clock: { mode: 'virtual' } })
  const pay = () => at(one).as(merchant.test)('POST', '/payment_intents', { body: PAYMENT })
  expect((await pay()).status).toBe(201)
  const count = async () =>
    (await at(one).control('GET', `/accounts/${merchant.test.id}/payments`)).body.data.length
  return { other, proxy, pay, count }
}

describe.skipIf(reason !== undefined)('a call on its way to another process', () => {
  test('is carried out elsewhere if that process stopped before it received the call', async () => {
    const { other, proxy, pay, count } = await two()
    proxy.silence()
    const paid = pay()
    expect(await other.stop()).toBe(0)
    proxy.cut()
    expect(await paid).toMatchObject({ status: 201 })
    expect(await count()).toBe(2)
  })

  test('may have been carried out if that process was killed', async () => {
    const { other, proxy, pay, count } = await two()
    proxy.silence()
    const paid = pay()
    await other.kill()
    proxy.cut()
    const { status, text } = await paid
    expect(status).toBe(503)
    expect(text).toContain('it is not known whether the call was carried out')
    expect(await count()).toBe(1)
  })
})

/** More than a process leaves to the next one without a checkpoint. */
const MANY = 1100

test.skipIf(reason !== undefined)('a process that stops leaves a checkpoint to the next one', async () => {
  const postgres = await workerPostgres()
  const store = await postgres.newDatabase()
  const leaving = await startServer({ store, args: COMMON })
  onTestFinished(() => leaving.kill())
  const [much, little] = [await at(leaving).merchant(), await at(leaving).merchant()]
  const payBy = (merchant: typeof much) =>
    at(leaving).as(merchant.test)('POST', '/payment_intents', { body: PAYMENT })
  await payBy(little)
  for (let paid = 0; paid < MANY; paid += 50) await Promise.all(Array.from({ length: 50 }, () => payBy(much)))

  expect(await leaving.stop()).toBe(0)
  const covered = (account: string) =>
    postgres.query(
      new URL(store).pathname.slice(1),
      `SELECT checkpoint IS NOT NULL FROM paysim.accounts WHERE id = '${account}'`,
    )
  expect(await covered(much.test.id)).toBe('t')
  expect(await covered(little.test.id)).toBe('f')

  const next = await startServer({ store, args: COMMON })
  onTestFinished(() => next.kill())
  const { body } = await at(next).control('GET', `/accounts/${much.test.id}/payments`)
  expect(body.data).toHaveLength(MANY)
})
