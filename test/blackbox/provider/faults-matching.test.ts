import { beforeAll, describe, expect, test } from 'vitest'
import { LIMITS } from '../../../src/contract/limits.ts'
import { type Account, openAccount, rows, succeeded } from '../../support/gateway/merchant.ts'
import type { CallOptions } from '../../support/gateway/server.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { imageForm } from '../../support/payments/images.ts'
import { createPayment, createTransfer, hostedBody, paymentBody } from '../../support/payments/payments.ts'
import { addPayout } from '../../support/payments/payouts.ts'
import { clearFaults, type Fault, putFaults } from '../../support/provider/faults.ts'

const server = sharedServer()

const LIST = 'GET /payout_intents'
const teapot = (fault: Fault = {}): Fault => ({ on: LIST, type: 'status', status: 418, ...fault })

/** Not `account.call`: the API does not promise the answers of faults. */
const callerOf = (account: Account) => server().as(account.keys)

async function statuses(account: Account, count: number, path = '/payout_intents') {
  const seen: number[] = []
  for (let call = 0; call < count; call += 1) seen.push((await callerOf(account)('GET', path)).status)
  return seen
}

async function accountWith(...faults: Fault[]) {
  const account = await openAccount(server())
  await putFaults(account, ...faults)
  return account
}

describe('the operations', () => {
  let account: Account
  let calls: Record<string, [string, CallOptions?]>

  beforeAll(async () => {
    account = await openAccount(server())
    const [payment, transfer, payout] = [
      await createPayment(account),
      await createTransfer(account),
      await addPayout(account),
    ]
    const json = { 'content-type': 'application/json' }
    calls = {
      'GET /payment_methods/options': ['/payment_methods/options?amount=15000&country=TH&currency=THB'],
      'POST /payment_intents': ['/payment_intents', { body: hostedBody() }],
      'GET /payment_intents/:id': [`/payment_intents/${payment.id}`],
      'POST /payment_intents/:id/cancel-pending': [
        `/payment_intents/${payment.id}/cancel-pending`,
        { headers: json },
      ],
      'POST /payment_intents/:id/receipt': [
        `/payment_intents/${transfer.id}/receipt`,
        { raw: imageForm(1), headers: { 'idempotency-key': 'same' } },
      ],
      'GET /payout_intents': ['/payout_intents'],
      'POST /payout_intents/:id/cancel': [`/payout_intents/${payout.id}/cancel`],
    }
  })

  /** Which of all operations meet the fault. */
  async function stricken(on: string): Promise<string[]> {
    await putFaults(account, teapot({ on }))
    const met: string[] = []
    for (const [operation, [path, options]] of Object.entries(calls)) {
      const { status } = await callerOf(account)(operation.split(' ')[0] ?? '', path, options)
      if (status === 418) met.push(operation)
    }
    await clearFaults(account)
    return met
  }

  test.each([
    'GET /payment_methods/options',
    'POST /payment_intents',
    'GET /payment_intents/:id',
    'POST /payment_intents/:id/cancel-pending',
    'POST /payment_intents/:id/receipt',
    'GET /payout_intents',
    'POST /payout_intents/:id/cancel',
  ])('a fault on %s affects only that operation, in either spelling', async operation => {
    expect(await stricken(operation)).toEqual([operation])
    expect(await stricken(operation.replace(':id', '{id}'))).toEqual([operation])
  })

  test('a fault on * affects all', async () => {
    expect(await stricken('*')).toEqual(Object.keys(calls))
  })
})

describe('a fault on * does not affect', () => {
  test('the control surface', async () => {
    const account = await accountWith(teapot({ on: '*' }))
    for (const path of ['/clock', '/payments', '/faults', '/requests'])
      expect((await account.control('GET', path)).status).toBe(200)
  })

  test('the pages of payers', async () => {
    const account = await openAccount(server())
    const made = await succeeded(account.call('POST', '/payment_intents', { body: hostedBody() }))
    await putFaults(account, teapot({ on: '*' }))
    expect((await fetch(made.next_action.url)).status).toBe(200)
  })

  test('another account', async () => {
    await accountWith(teapot({ on: '*' }))
    expect(await statuses(await openAccount(server()), 1)).toEqual([200])
  })
})

test('a call without valid credentials is refused as usual and does not use up a fault', async () => {
  const account = await accountWith(teapot({ on: '*', times: 1 }))
  expect((await account.call('GET', '/payout_intents', { anonymous: true })).status).toBe(401)
  expect(await statuses(account, 2)).toEqual([418, 200])
})

describe('counting', () => {
  test('without limits, a fault affects every call', async () => {
    expect(await statuses(await accountWith(teapot()), 3)).toEqual([418, 418, 418])
  })

  test.each([1, 2, 3])('nth: %i affects only that call', async nth => {
    const expected = [1, 2, 3, 4].map(call => (call === nth ? 418 : 200))
    expect(await statuses(await accountWith(teapot({ nth })), 4)).toEqual(expected)
  })

  test('times limits a fault to that many calls, then the next fault applies', async () => {
    const account = await accountWith(teapot({ times: 2 }), teapot({ status: 420, times: 1 }))
    expect(await statuses(account, 4)).toEqual([418, 418, 420, 200])
  })

  test('the first matching fault wins', async () => {
    const account = await accountWith(
      teapot({ on: 'GET /payment_intents/:id' }),
      teapot({ status: 420 }),
      teapot(),
    )
    expect(await statuses(account, 2)).toEqual([420, 420])
  })

  test('each fault counts only the calls it matches', async () => {
    const account = await accountWith(
      teapot({ on: 'GET /payment_intents/:id', nth: 2 }),
      teapot({ nth: 2, status: 420 }),
    )
    const { id } = await createPayment(account)
    const read = `/payment_intents/${id}`
    expect(await statuses(account, 1, read)).toEqual([200])
    expect(await statuses(account, 2)).toEqual([200, 420])
    expect(await statuses(account, 2, read)).toEqual([418, 200])
  })

  test('cleared faults affect nothing', async () => {
    const account = await accountWith(teapot(), { on: '*', type: 'reset' })
    await clearFaults(account)
    expect(await statuses(account, 2)).toEqual([200, 200])
  })

  test('after_commit faults are counted like the others', async () => {
    const account = await accountWith(teapot({ when: 'after_commit', nth: 2 }))
    expect(await statuses(account, 3)).toEqual([200, 418, 200])
  })
})

describe('what the call is about', () => {
  const about = (match: Fault, on = '*') => teapot({ on, match })

  /** Creates a payment with these members, and returns the status. */
  const create = async (account: Account, changes: Fault) =>
    (await callerOf(account)('POST', '/payment_intents', { body: paymentBody(changes) })).status

  test.each<[Fault, Fault, Fault]>([
    [
      { merchant_reference: 'order-7*' },
      { merchant_reference: 'order-71' },
      { merchant_reference: 'order-8' },
    ],
    [{ payment_method: 'th_promptpay' }, {}, { payment_method: 'th_mobile_banking' }],
    [{ method: ['th_promptpay', 'x'] }, {}, { payment_method: 'th_mobile_banking' }],
    [{ amount: { gte: '20000' } }, {}, { amount: '19999' }],
    [{ checkout_mode: 'merchant' }, {}, { checkout_mode: undefined, payment_method: undefined }],
    [{ checkout_mode: 'hosted' }, { checkout_mode: undefined, payment_method: undefined }, {}],
    [{ customer: { email: '*@a.example' } }, { customer: { email: 'b@a.example' } }, {}],
    [{ country: 'TH', merchant_reference: 'a' }, { merchant_reference: 'a' }, { merchant_reference: 'b' }],
    [{ kind: 'payment', environment: 'test', merchant_reference: 'a' }, { merchant_reference: 'a' }, {}],
  ])('a create fits %j by its body', async (match, fitting, other) => {
    const account = await accountWith(about(match))
    expect([await create(account, fitting), await create(account, other)]).toEqual([418, 201])
  })

  test('an invalid body fits by what it gives, and never by what it lacks', async () => {
    const account = await accountWith(about({ amount: { lt: '5' } }), about({ provider: '*' }))
    expect(await create(account, { amount: 3 })).toBe(400)
    expect(await create(account, { amount: undefined })).toBe(400)
    const list = { body: [] as unknown }
    expect((await callerOf(account)('POST', '/payment_intents', list)).status).toBe(400)
    expect(await create(account, { amount: '3', currency: 7 })).toBe(418)
  })

  test.each(['[', '', '[]', '"x"'])(
    'a create with the body %j is refused, and no fault is about it',
    async raw => {
      const account = await accountWith(about({ kind: 'payment' }))
      const headers = { 'content-type': 'application/json' }
      expect((await callerOf(account)('POST', '/payment_intents', { raw, headers })).status).toBe(400)
      expect((await callerOf(account)('POST', '/payment_intents', { raw })).status).toBe(415)
    },
  )

  test('a body that is too large is refused, however it comes', async () => {
    const account = await accountWith(about({ kind: 'payment' }))
    const raw = JSON.stringify(paymentBody({ merchant_reference: 'x'.repeat(LIMITS.body) }))
    const headers = { 'content-type': 'application/json' }
    expect((await callerOf(account)('POST', '/payment_intents', { raw, headers })).status).toBe(413)
    const { public_key, secret_key } = account.keys
    const chunked = await fetch(`${server().url}/payment_intents`, {
      method: 'POST',
      headers: { ...headers, authorization: `Basic ${btoa(`${public_key}:${secret_key}`)}` },
      body: new Blob([raw]).stream(),
      duplex: 'half',
    } as RequestInit)
    expect(chunked.status).toBe(413)
  })

  test('every other call fits by the record in its path', async () => {
    const account = await openAccount(server())
    const [mine, other] = [
      await createPayment(account, { merchant_reference: 'mine' }),
      await createPayment(account, { merchant_reference: 'other' }),
    ]
    const payout = await addPayout(account, { merchant_reference: 'mine' })
    await putFaults(
      account,
      about({ merchant_reference: 'mine' }),
      about({ provider: mine.route?.provider ?? '*' }, 'POST /payout_intents/:id/cancel'),
    )
    const json = { headers: { 'content-type': 'application/json' } }
    const ask = async (method: string, path: string) => (await callerOf(account)(method, path, json)).status
    expect([
      await ask('GET', `/payment_intents/${mine.id}`),
      await ask('GET', `/payment_intents/${other.id}`),
      await ask('GET', '/payment_intents/pi_unknown'),
      await ask('POST', `/payment_intents/${mine.id}/cancel-pending`),
      await ask('POST', `/payout_intents/${payout.id}/cancel`),
      await ask('GET', '/payout_intents?merchant_reference=mine'),
    ]).toEqual([418, 200, 404, 418, 418, 200])
  })

  test('a fault counts only the calls that it is about', async () => {
    const account = await accountWith(teapot({ on: '*', match: { merchant_reference: 'a' }, nth: 2 }))
    const made = []
    for (const merchant_reference of ['b', 'a', 'b', 'a', 'a'])
      made.push(await create(account, { merchant_reference }))
    expect(made).toEqual([201, 201, 201, 418, 201])
  })
})

describe('faults that are set again', () => {
  const used = async (account: Account) => (await account.control('GET', '/faults')).body.used

  test('keep their counts if they are the same, or only off or on, wherever they stand', async () => {
    const [once, third] = [teapot({ times: 1 }), { on: LIST, nth: 3, type: 'status', status: 503 }]
    const rate = { on: LIST, type: 'rate', limit: 3, per: '1h' }
    const account = await accountWith(once, third, rate)
    expect(await statuses(account, 2)).toEqual([418, 200])
    await putFaults(account, rate, { ...third, off: true }, once)
    expect(await statuses(account, 2)).toEqual([200, 200])
    expect(await used(account)).toEqual([0, 0, 1])
    await putFaults(account, { ...rate, off: true }, third, once)
    expect(await statuses(account, 2)).toEqual([200, 503])
    await putFaults(account, rate)
    expect(await statuses(account, 1)).toEqual([429])
  })

  test('start again if they are others, or were removed meanwhile', async () => {
    const account = await accountWith(teapot({ times: 1 }))
    expect(await statuses(account, 2)).toEqual([418, 200])
    await putFaults(account, teapot({ times: 1, name: 'another' }))
    expect(await statuses(account, 2)).toEqual([418, 200])
    await clearFaults(account)
    await putFaults(account, teapot({ times: 1, name: 'another' }))
    expect(await statuses(account, 2)).toEqual([418, 200])
  })
})

describe('a rate', () => {
  const rate = (fault: Fault = {}): Fault => ({ on: LIST, type: 'rate', limit: 2, per: '1h', ...fault })

  test('refuses what comes after so many calls, and says when the next one is allowed', async () => {
    const account = await accountWith(rate())
    expect(await statuses(account, 4)).toEqual([200, 200, 429, 429])
    const { status, headers, body } = await callerOf(account)('GET', '/payout_intents')
    expect([status, body.error.code]).toEqual([429, 'rate_limited'])
    expect(body.error.message).toContain('2 calls in 1h')
    expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(3600)
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(60)
    const { used } = (await account.control('GET', '/faults')).body
    expect(used).toEqual([3])
    expect(await statuses(await openAccount(server()), 3)).toEqual([200, 200, 200])
  })

  test('counts the calls of its operation and about its record, and leaves the rest to the faults below it', async () => {
    const account = await accountWith(
      rate({ on: 'POST /payment_intents', match: { merchant_reference: 'a' }, limit: 1, times: 1 }),
      teapot({ nth: 2 }),
    )
    const made = []
    for (const merchant_reference of ['a', 'b', 'a', 'a'])
      made.push(
        (await callerOf(account)('POST', '/payment_intents', { body: paymentBody({ merchant_reference }) }))
          .status,
      )
    expect(made).toEqual([201, 201, 429, 201])
    expect(await statuses(account, 3)).toEqual([200, 418, 200])
    expect((await rows(account.control('GET', '/payments'))).length).toBe(3)
  })
})

describe('probability', () => {
  const CALLS = 40

  /** The pattern of a merchant of that name and seed, who is gone afterwards. */
  async function pattern(seed: number, fault: Fault = {}): Promise<string> {
    const account = await openAccount(server(), { id: 'by-chance', seed })
    await putFaults(account, teapot({ probability: 0.5, ...fault }))
    const seen = await statuses(account, CALLS)
    expect((await server().control('DELETE', '/merchants/by-chance')).status).toBe(204)
    return seen.map(status => (status === 418 ? 'x' : '.')).join('')
  }

  test('the same seed gives the same pattern, and another seed a different one', async () => {
    const first = await pattern(7)
    expect(await pattern(7)).toBe(first)
    expect(await pattern(8)).not.toBe(first)
  })

  test('of 0 affects no call, of 1 every call, of 0.5 some', async () => {
    expect(await pattern(7, { probability: 0 })).toBe('.'.repeat(CALLS))
    expect(await pattern(7, { probability: 1 })).toBe('x'.repeat(CALLS))
    const met = (await pattern(7)).replaceAll('.', '').length
    expect(met).toBeGreaterThan(CALLS / 8)
    expect(met).toBeLessThan(CALLS - CALLS / 8)
  })

  test('affects more calls when it is higher', async () => {
    const rare = (await pattern(7, { probability: 0.1 })).replaceAll('.', '').length
    const frequent = (await pattern(7, { probability: 0.9 })).replaceAll('.', '').length
    expect(frequent).toBeGreaterThan(2 * rare)
  })

  test('with times affects no more than that many calls', async () => {
    expect((await pattern(7, { times: 3 })).replaceAll('.', '')).toBe('xxx')
  })
})
