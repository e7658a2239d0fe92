import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import {
  type Account,
  accountOf,
  type Json,
  openAccount,
  rows,
  succeeded,
} from '../../support/gateway/merchant.ts'
import { ownServer, recovered, sharedServer } from '../../support/gateway/shared-server.ts'
import { basic } from '../../support/http/raw-http.ts'
import { createPayment, paymentBody } from '../../support/payments/payments.ts'
import { clearFaults, type Fault, putFaults } from '../../support/provider/faults.ts'
import { listen, settle } from '../../support/webhooks/receiver.ts'

const server = sharedServer()

const CREATE = 'POST /payment_intents'
const LONG = '1h'

const holdsOf = (account: Account): Promise<Json[]> => rows(account.control('GET', '/holds'))

/** What is held, once there is so much of it. */
async function held(account: Account, count = 1): Promise<Json[]> {
  await expect.poll(async () => (await holdsOf(account)).length).toBe(count)
  return holdsOf(account)
}

const release = (account: Account, { id }: Json, how?: Record<string, unknown>) =>
  account.control('POST', `/holds/${id}/release`, how === undefined ? {} : { body: how })

const paymentsOf = (account: Account) => rows(account.control('GET', '/payments'))

async function holding(fault: Fault = {}) {
  const account = await openAccount(server())
  await putFaults(account, { on: CREATE, type: 'hold', for: LONG, name: 'wait', ...fault })
  const create = (signal?: AbortSignal) => {
    const answer = fetch(`${server().url}/payment_intents`, {
      method: 'POST',
      headers: { authorization: basic(account.keys), 'content-type': 'application/json' },
      body: JSON.stringify(paymentBody()),
      ...(signal ? { signal } : {}),
    })
    // A test releases the call before it awaits the answer, which may fail in between.
    answer.catch(() => undefined)
    return answer
  }
  return { account, create }
}

describe('a call that is held', () => {
  test('is shown, and carried out once it is let go', async () => {
    const { account, create } = await holding({ times: 1 })
    const answer = create()
    const [hold] = await held(account)
    expect(hold).toMatchObject({
      kind: 'call',
      fault: 'wait',
      request: { method: 'POST', path: '/payment_intents' },
      delivery: null,
      status: null,
    })
    expect(Date.parse(hold.until) - Date.parse(hold.since)).toBe(3_600_000)
    expect(await paymentsOf(account)).toEqual([])
    expect((await create()).status).toBe(201)
    expect((await release(account, hold)).body).toEqual(hold)
    expect((await answer).status).toBe(201)
    expect(await paymentsOf(account)).toHaveLength(2)
    expect(await holdsOf(account)).toEqual([])
    expect((await release(account, hold)).status).toBe(404)
  })

  test('is not carried out if it is answered, failed or dropped', async () => {
    const { account, create } = await holding()
    const let1 = async (how: Record<string, unknown>) => {
      const answer = create()
      const [hold] = await held(account)
      expect((await release(account, hold, how)).status).toBe(200)
      return answer
    }
    const failed = await let1({ status: 503, headers: { 'Retry-After': '7' } })
    expect([failed.status, failed.headers.get('retry-after')]).toEqual([503, '7'])
    expect(((await failed.json()) as Json).error.code).toBe('service_unavailable')
    const changed = await let1({ status: 202, body: { id: 'mine' }, headers: { 'X-Own': 'yes' } })
    expect([changed.status, changed.headers.get('x-own'), await changed.json()]).toEqual([
      202,
      'yes',
      { id: 'mine' },
    ])
    await expect(let1({ drop: true })).rejects.toThrow()
    expect(await paymentsOf(account)).toEqual([])
  })

  test('goes by itself after its time', async () => {
    const { account, create } = await holding({ for: '1ms' })
    expect((await create()).status).toBe(201)
    expect(await holdsOf(account)).toEqual([])
  })

  test('goes with its caller, and is not carried out', async () => {
    const { account, create } = await holding()
    const gone = new AbortController()
    const answer = create(gone.signal)
    await held(account)
    gone.abort()
    await expect(answer).rejects.toThrow()
    await held(account, 0)
    expect(await paymentsOf(account)).toEqual([])
    const log = await rows(account.control('GET', '/requests'))
    expect(log.filter(({ path }) => path === '/payment_intents')).toMatchObject([{ status: 499 }])
  })

  test('stays held when the faults change, and goes with a reset or the merchant', async () => {
    const { account, create } = await holding()
    const first = create()
    await held(account)
    await clearFaults(account)
    expect(await holdsOf(account)).toHaveLength(1)
    await succeeded(account.control('POST', '/reset'))
    expect((await first).status).toBe(201)
    await putFaults(account, { on: CREATE, type: 'hold' })
    const second = create()
    await held(account)
    await server().control('DELETE', `/merchants/${account.merchant}`)
    expect((await second).status).toBe(401)
  })
})

test('an answer is held after the work, and can be changed', async () => {
  const { account, create } = await holding({ when: 'after_commit' })
  const answer = create()
  const [hold] = await held(account)
  expect(hold).toMatchObject({ kind: 'answer', status: 201 })
  const [payment] = await paymentsOf(account)
  const real = JSON.parse(hold.body)
  expect(real.id).toBe(payment?.id)
  await succeeded(release(account, hold, { body: { ...real, amount: '1' } }))
  const { status, text } = await answer.then(async got => ({ status: got.status, text: await got.text() }))
  expect([status, JSON.parse(text)]).toEqual([201, { ...real, amount: '1' }])
  const lost = create()
  const [other] = await held(account)
  await succeeded(release(account, other, { drop: true }))
  await expect(lost).rejects.toThrow()
  expect(await paymentsOf(account)).toHaveLength(2)
})

describe('a webhook that is held', () => {
  async function webhooks(fault: Fault = {}) {
    const account = await openAccount(server())
    const receiver = await listen(account)
    await putFaults(account, { on: 'webhook', type: 'hold', for: LONG, ...fault })
    const end = async () => {
      const { id } = await createPayment(account)
      await succeeded(account.trigger(id, 'succeed'))
      await settle(account)
      return id
    }
    const deliveries = () => rows(account.control('GET', '/webhook-deliveries'))
    return { account, receiver, end, deliveries }
  }
  const about = (deliveries: readonly { event: Json }[]) => deliveries.map(({ event }) => event.data.id)

  test('does not hold up an advance or other webhooks, and its time begins when it is let go', async () => {
    const { account, receiver, end, deliveries } = await webhooks({ times: 1 })
    const id = await end()
    const other = await end()
    await account.advance('1d')
    expect(about(receiver.deliveries)).toEqual([other])
    const [hold] = await held(account)
    expect(hold).toMatchObject({ kind: 'webhook', delivery: { event_type: 'payment.succeeded' } })
    expect(await succeeded(account.control('GET', `/why/${hold.delivery.id}`))).toMatchObject({
      sentence: expect.stringContaining('holds its first attempt'),
    })
    await succeeded(release(account, hold))
    await receiver.arrived(2)
    await settle(account)
    expect(about(receiver.deliveries)).toEqual([other, id])
    expect((await deliveries()).map(({ status }) => status)).toEqual(['delivered', 'delivered'])
  })

  test('can be changed, which is signed; its retries are not changed', async () => {
    const { account, receiver, end } = await webhooks()
    receiver.reply(nth => ({ status: nth === 1 ? 500 : 204 }))
    const id = await end()
    const [hold] = await held(account)
    const body = { ...JSON.parse(hold.body), type: 'payment.failed' }
    await succeeded(release(account, hold, { body, headers: { 'X-Trace': '1' } }))
    const [changed] = await receiver.arrived(1)
    expect(new Webhook(receiver.endpoint.secret).verify(changed?.text ?? '', changed?.headers ?? {})).toEqual(
      body,
    )
    expect(changed?.headers['x-trace']).toBe('1')
    await settle(account)
    await account.advance('1d')
    expect(receiver.deliveries[1]?.event).toMatchObject({ type: 'payment.succeeded', data: { id } })
    expect(receiver.deliveries).toHaveLength(2)
  })

  test('can be failed or dropped: nothing is sent, and the next attempt comes by the schedule', async () => {
    const { account, receiver, end, deliveries } = await webhooks()
    await end()
    await end()
    const [failed, dropped] = await held(account, 2)
    await succeeded(release(account, failed, { status: 502 }))
    await succeeded(release(account, dropped, { drop: true }))
    await settle(account)
    expect(receiver.deliveries).toEqual([])
    expect((await deliveries()).map(({ attempts }) => attempts[0].response)).toMatchObject([
      { status: 502, error: null },
      { status: null, error: 'dropped by hand while it was held' },
    ])
    await account.advance('1d')
    expect(receiver.deliveries).toHaveLength(2)
  })

  test('is gone after a reset', async () => {
    const { account, receiver, end } = await webhooks()
    await end()
    await held(account)
    await succeeded(account.control('POST', '/reset', { body: { keep: ['endpoints'] } }))
    expect(await holdsOf(account)).toEqual([])
    await account.advance('1d')
    expect(receiver.deliveries).toEqual([])
  })
})

test('a release that makes no sense is refused, and lets nothing go', async () => {
  const { account, create } = await holding()
  const answer = create()
  const [hold] = await held(account)
  for (const [how, field] of [
    [{ status: 199 }, 'status'],
    [{ status: '500' }, 'status'],
    [{ drop: true, status: 500 }, 'status'],
    [{ drop: true, body: {} }, 'body'],
    [{ headers: { 'X-A': 'a\r\nSet-Cookie: b' } }, 'headers.X-A'],
    [{ headers: { 'X-A\r\nB': 'a' } }, 'headers.X-A\r\nB'],
    [{ headers: { 'X-A': 'é' } }, 'headers.X-A'],
    [{ headers: { 'Content-Length': '5' } }, 'headers.Content-Length'],
    [{ headers: { 'transfer-encoding': 'chunked' } }, 'headers.transfer-encoding'],
    [{ headers: { Connection: 'upgrade' } }, 'headers.Connection'],
    [{ headers: 'x: y' }, 'headers'],
    [{ drops: true }, 'drops'],
  ] as const) {
    const refused = await release(account, hold, how)
    expect(refused.status, refused.text).toBe(400)
    expect(refused.body.error.details.map((problem: Json) => problem.field)).toContain(field)
  }
  const other = await openAccount(server())
  expect((await release(other, hold)).status).toBe(404)
  expect((await release(account, { id: 'hold_none' })).status).toBe(404)
  expect((await account.control('POST', `/holds/${hold.id}/release`, { anonymous: true })).status).toBe(401)
  expect(await holdsOf(account)).toHaveLength(1)
  await succeeded(release(account, hold, { headers: { __proto__x: 'a', 'x-empty': '' } }))
  expect((await answer).status).toBe(200)
})

test('a kill lets go the webhook that was held, and a stop the call', async () => {
  const first = await ownServer()
  const account = await openAccount(first)
  const receiver = await listen(account)
  await putFaults(account, { on: 'webhook', type: 'hold', for: LONG })
  const { id } = await createPayment(account)
  await succeeded(account.trigger(id, 'succeed'))
  await held(account)
  const second = await recovered(first)
  await receiver.arrived(1)
  const same = accountOf(second, account.keys)
  await putFaults(same, { on: CREATE, type: 'hold', for: LONG })
  const answer = second.as(account.keys)('POST', '/payment_intents', { body: paymentBody() })
  await held(same)
  await second.stop()
  expect((await answer).status).toBe(201)
})
