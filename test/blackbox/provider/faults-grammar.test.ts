import { beforeAll, describe, expect, test } from 'vitest'
import { type Account, openAccount } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { expectError } from '../../support/http/answers.ts'
import { clearFaults, type Fault, faultsOf, putFaults, sendFaults } from '../../support/provider/faults.ts'

const server = sharedServer()
let account: Account

beforeAll(async () => {
  account = await openAccount(server())
})

const GET = 'GET /payout_intents'

test('an account starts without faults', async () => {
  expect(await faultsOf(await openAccount(server()))).toEqual([])
})

test('GET shows the faults as they were given, PUT replaces them, DELETE clears them', async () => {
  const given = [
    { on: 'POST /payment_intents', nth: 2, type: 'reset', when: 'after_commit' },
    { on: 'GET /payment_intents/:id', type: 'latency', delay: { p50: '20ms', p99: '900ms' } },
    { on: '*', probability: 0.05, times: 10, type: 'status', status: 429, retry_after: '2s' },
    { on: GET, type: 'truncate' },
    { on: 'webhook', match: { type: 'payment.succeeded' }, type: 'duplicate' },
    { on: '*', match: { merchant_reference: ['a*', 'b'], payment_method: 'th_promptpay' }, type: 'reset' },
    { on: '*', type: 'rate', limit: 25, per: '1s' },
  ]
  await putFaults(account, ...given)
  expect(await faultsOf(account)).toEqual(given)
  await putFaults(account, { on: GET, type: 'empty' })
  expect(await faultsOf(account)).toEqual([{ on: GET, type: 'empty' }])
  await clearFaults(account)
  expect(await faultsOf(account)).toEqual([])
})

/** Refused, naming the field, and nothing is different afterwards. */
async function problemAt(fault: Fault, field: string): Promise<{ field: string; message: string }> {
  await putFaults(account, { on: GET, type: 'empty' })
  const answer = await sendFaults(account, [{ on: GET, type: 'garbage' }, fault])
  expectError(answer, 400, 'validation_failed')
  expect(await faultsOf(account)).toEqual([{ on: GET, type: 'empty' }])
  const found = answer.body.error.details.find(
    (detail: { field: string }) => detail.field === `faults.1.${field}`,
  )
  expect(found, `a fault at ${field} in ${answer.text}`).toBeDefined()
  return found
}

describe('a typo is answered with a suggestion', () => {
  test.each<[Fault, string, string]>([
    [{ on: GET, type: 'rest' }, 'type', 'reset'],
    [{ on: GET, type: 'latencey', delay: '1s' }, 'type', 'latency'],
    [{ on: GET, type: 'reset', whn: 'before' }, 'whn', 'when'],
    [{ on: GET, type: 'reset', when: 'after_comit' }, 'when', 'after_commit'],
    [{ on: GET, type: 'reset', probabilty: 1 }, 'probabilty', 'probability'],
    [{ on: 'POST /payment_intent', type: 'reset' }, 'on', 'POST /payment_intents'],
    [{ on: 'GET /payout_intent', type: 'reset' }, 'on', GET],
    [{ on: 'webhook', type: 'drop', match: { typ: 'x' } }, 'match.typ', 'type'],
    [
      { on: '*', type: 'reset', match: { merchant_refrence: 'x' } },
      'match.merchant_refrence',
      'merchant_reference',
    ],
  ])('%j', async (fault, field, meant) => {
    expect((await problemAt(fault, field)).message).toContain(`did you mean ${meant}`)
  })
})

describe('an invalid fault is refused', () => {
  test.each<[string, Fault, string]>([
    ['no operation', { type: 'reset' }, 'on'],
    ['an unknown operation', { on: 'DELETE /everything', type: 'reset' }, 'on'],
    ['an operation by another method', { on: 'PUT /payment_intents', type: 'reset' }, 'on'],
    ['no type', { on: GET }, 'type'],
    ['a webhook’s fault on a call', { on: GET, type: 'drop' }, 'type'],
    ['a call’s fault on a webhook', { on: 'webhook', type: 'reset' }, 'type'],
    ['a status that is not said', { on: GET, type: 'status' }, 'status'],
    ['an invalid status', { on: GET, type: 'status', status: 42 }, 'status'],
    ['a status beside another type', { on: GET, type: 'reset', status: 500 }, 'status'],
    ['a Retry-After beside another type', { on: GET, type: 'reset', retry_after: '1s' }, 'retry_after'],
    ['a body beside another type', { on: GET, type: 'empty', body: 'x' }, 'body'],
    ['latency without a delay', { on: GET, type: 'latency' }, 'delay'],
    ['an invalid delay', { on: GET, type: 'latency', delay: 'long' }, 'delay'],
    ['a delay without its end', { on: GET, type: 'latency', delay: { min: '1s' } }, 'delay.max'],
    [
      'a delay that ends before it begins',
      { on: GET, type: 'latency', delay: { min: '2s', max: '1s' } },
      'delay',
    ],
    ['a p99 below its p50', { on: GET, type: 'latency', delay: { p50: '2s', p99: '1s' } }, 'delay'],
    ['a probability above one', { on: GET, type: 'reset', probability: 1.1 }, 'probability'],
    ['a probability below none', { on: GET, type: 'reset', probability: -0.1 }, 'probability'],
    ['no times', { on: GET, type: 'reset', times: 0 }, 'times'],
    ['the zeroth', { on: GET, type: 'reset', nth: 0 }, 'nth'],
    [
      'a Retry-After that is not a duration',
      { on: GET, type: 'status', status: 429, retry_after: 'soon' },
      'retry_after',
    ],
    ['a time of a call on a webhook', { on: 'webhook', type: 'drop', when: 'before' }, 'when'],
    ['an event on a call', { on: '*', type: 'reset', match: { type: 'payment.failed' } }, 'match.type'],
    ['a condition on a webhook', { on: 'webhook', type: 'drop', match: { amount: '1' } }, 'match.amount'],
    ['a condition on a list', { on: GET, type: 'reset', match: { merchant_reference: 'a' } }, 'match'],
    ['a count in a condition', { on: '*', type: 'reset', match: { nth: 2 } }, 'match.nth'],
    ['a rate without a limit', { on: GET, type: 'rate', per: '1s' }, 'limit'],
    ['a rate without a time', { on: GET, type: 'rate', limit: 1 }, 'per'],
    ['a rate in no time', { on: GET, type: 'rate', limit: 1, per: '0s' }, 'per'],
    ['a rate of nothing', { on: GET, type: 'rate', limit: 0, per: '1s' }, 'limit'],
    ['a rate after the work', { on: GET, type: 'rate', limit: 1, per: '1s', when: 'after_commit' }, 'when'],
    ['a limit beside another type', { on: GET, type: 'reset', limit: 1 }, 'limit'],
    ['an unknown event', { on: 'webhook', type: 'drop', match: { type: 'payment.suceeded' } }, 'match.type'],
  ])('%s', async (_, fault, field) => {
    await problemAt(fault, field)
  })

  test.each([{}, [], { faults: {} }, { faults: [1] }, { faults: [], rules: [] }])(
    'the body %j',
    async body => {
      expectError(await account.control('PUT', '/faults', { body }), 400, 'validation_failed')
    },
  )
})

test.each(['GET', 'PUT', 'DELETE'])('%s requires the token and an existing account', async method => {
  const body = method === 'PUT' ? { body: { faults: [] } } : {}
  expectError(await account.control(method, '/faults', { ...body, anonymous: true }), 401, 'unauthorized')
  expectError(await server().control(method, '/accounts/no.test/faults', body), 404, 'not_found')
})
