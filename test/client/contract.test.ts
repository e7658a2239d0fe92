import { expect, expectTypeOf, test } from 'vitest'
import type {
  ActionType,
  CreatePayment,
  MethodsQuery,
  NextAction,
  PaymentIntent,
  PayoutsQuery,
  Receipt,
  ReceiptStatus,
} from '../../src/client/index.ts'
import { operations } from '../../src/contract/operations.ts'
import type { CreatePaymentRequest, DiscoveryQuery, PayoutListQuery } from '../../src/contract/requests.ts'
import { resolveContract } from '../../src/contract/resolve-contract.ts'
import type * as wire from '../../src/contract/resources.ts'
import { clientFor, ORDER, PAYMENT } from '../support/client/client.ts'
import { json, serve } from '../support/client/server.ts'

// The client reads the contract's shapes with care. Here they are held together.

/** The least that each of them may answer, about the record that was asked for. */
function answerTo(url: string): object {
  const [, kind, id = 'pi_1', action] = decodeURIComponent(url).replace(/\?.*/, '').split('/')
  if (kind === 'payment_methods') return { methods: [] }
  if (kind === 'payment_intents') return { ...PAYMENT, id }
  return action === undefined ? { data: [], has_more: false } : { ...PAYMENT, id, object: 'payout_intent' }
}

test('the client calls every operation at the path of the contract', async () => {
  const server = await serve((response, { url }) => json(response, answerTo(url)))
  const { methods, payments, payouts } = clientFor(server.url)
  await methods.list({ amount: '1', country: 'TH', currency: 'THB' })
  await payments.create(ORDER)
  await payments.get(':id')
  await payments.cancel(':id')
  await payments.submitReceipt(':id', { assetId: 'ast_1' })
  await payouts.list()
  await payouts.cancel(':id')
  const made = server.seen.map(
    ({ method, url }) => `${method} ${decodeURIComponent(url).replace(/\?.*/, '')}`,
  )
  expect(made).toEqual(operations(resolveContract({})).map(({ method, path }) => `${method} ${path}`))
})

test('payments are created at the path of the contract, or at the path that the caller gives', async () => {
  const standard = await serve(response => json(response, PAYMENT, 201))
  await clientFor(standard.url).payments.create(ORDER)
  expect(standard.seen[0]?.url).toBe(resolveContract({})['create.path'])
  const server = await serve(response => json(response, PAYMENT, 201))
  await clientFor(`${server.url}/v1`, { createPath: '/payments' }).payments.create(ORDER)
  expect(server.seen[0]?.url).toBe('/v1/payments')
})

test('a cancellation has the required content type, and a body that any server can read', async () => {
  const server = await serve((response, { url }) => json(response, answerTo(url), 202))
  await clientFor(server.url).payments.cancelPending('pi_1')
  await clientFor(server.url).payouts.cancel('po_1', { reason: 'wrong account' })
  expect(server.seen.map(({ body }) => String(body))).toEqual(['{}', '{"reason":"wrong account"}'])
  expect(server.seen[0]?.headers['content-type']).toBe('application/json')
})

test('the types accept what the contract lets a merchant send', () => {
  expectTypeOf<CreatePaymentRequest>().toExtend<CreatePayment>()
  expectTypeOf<DiscoveryQuery>().toExtend<MethodsQuery>()
  expectTypeOf<PayoutListQuery>().toExtend<PayoutsQuery>()
  expectTypeOf<CreatePayment['amount']>().toEqualTypeOf<string>()
  expectTypeOf<CreatePayment['checkout_mode']>().toEqualTypeOf<
    'hosted' | 'merchant' | (string & {}) | undefined
  >()
  expectTypeOf<CreatePayment['customer']['name']>().toEqualTypeOf<string | undefined>()
})

test('the types describe what the contract answers, and allow unknown values', () => {
  expectTypeOf<wire.PaymentIntent>().toExtend<PaymentIntent>()
  expectTypeOf<PaymentIntent['id']>().toEqualTypeOf<string>()
  expectTypeOf<PaymentIntent['object']>().toEqualTypeOf<'payment_intent'>()
  expectTypeOf<PaymentIntent['failure_code']>().toEqualTypeOf<string | null | undefined>()
  expectTypeOf<Receipt['status']>().toEqualTypeOf<ReceiptStatus>()
  expectTypeOf<NextAction['type']>().toEqualTypeOf<ActionType>()
  expectTypeOf<NextAction['reference']>().toEqualTypeOf<string | undefined>()
})
