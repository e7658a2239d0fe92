import { expect, onTestFinished, test } from 'vitest'
import { openSite } from '../../support/cli/site.ts'
import { useWorkplace } from '../../support/cli/workplace.ts'

/** An answer of this API may be about something else than what was asked for. A command compares it with its request. */

const place = useWorkplace()

async function paysim(answer: { readonly status: number; readonly body: unknown }, ...args: string[]) {
  const calls: string[] = []
  const { url, close } = await openSite((request, response) => {
    calls.push(request.method ?? '')
    request
      .resume()
      .once('end', () =>
        response
          .writeHead(answer.status, { 'content-type': 'application/json' })
          .end(JSON.stringify(answer.body)),
      )
  })
  onTestFinished(close)
  const env = { PAYSIM_BASE_URL: url, PAYSIM_PUBLIC_KEY: 'pk_test_1', PAYSIM_SECRET_KEY: 'sk_test_1' }
  return { ...(await place().paysim(args, { env })), calls }
}

const ORDER = [
  ...['payments', 'create', '--amount', '10000', '--currency', 'THB', '--country', 'TH'],
  ...['--merchant-reference', 'order-1', '--checkout-mode', 'merchant', '--payment-method', 'th_promptpay'],
]
const PAYMENT = {
  id: 'pi_1',
  object: 'payment_intent',
  amount: '10000',
  currency: 'THB',
  country: 'TH',
  checkout_mode: 'merchant',
  environment: 'test',
  merchant_reference: 'order-1',
  payment_method: 'th_promptpay',
  status: 'succeeded',
  next_action: null,
  created_at: '2030-01-01T00:00:00.000Z',
  updated_at: '2030-01-01T00:00:00.000Z',
}

const create = (change: object, ...more: string[]) =>
  paysim({ status: 201, body: { ...PAYMENT, ...change } }, ...ORDER, '-o', 'json', ...more)

test.each([
  [{ amount: '1000' }, 'amount is "1000", but 10000 was sent'],
  [{ currency: 'VND' }, 'currency is "VND", but THB was sent'],
  [{ country: 'MY' }, 'country is "MY", but TH was sent'],
  [{ merchant_reference: 'order-2' }, 'merchant_reference is "order-2", but order-1 was sent'],
  [{ merchant_reference: null }, 'merchant_reference is null, but order-1 was sent'],
])('a payment that was made with %j is printed, with the difference', async (change, told) => {
  const { code, stdout, stderr, calls } = await create(change)
  expect(code, stderr).toBe(1)
  expect(JSON.parse(stdout)).toEqual({ ...PAYMENT, ...change })
  expect(stderr).toContain(
    `paysim: pi_1 is not as requested:\n  ${told}\nit was made; do not send it again\n`,
  )
  expect(calls).toEqual(['POST'])
})

test('a payment of another method is noticed with --strict', async () => {
  const change = { payment_method: 'th_mobile_banking', processing_reason: null, receipt: null }
  const rest = { failure_code: null, failure_message: null }
  expect(await create({ ...change, ...rest })).toMatchObject({ code: 0 })
  const { code, stdout, stderr } = await create({ ...change, ...rest }, '--strict')
  expect(code, stderr).toBe(1)
  expect(JSON.parse(stdout).id).toBe('pi_1')
  expect(stderr).toContain('payment_method is "th_mobile_banking", but th_promptpay was sent')
})

test('an answer that says the same in another way, or leaves something out, is accepted', async () => {
  for (const change of [{}, { amount: 10000 }, { country: 'th' }, { merchant_reference: undefined }]) {
    const { code, stderr } = await create(change)
    expect(code, stderr).toBe(0)
  }
})

const METHODS = { country: 'TH', currency: 'THB', environment: 'test', methods: [] }
const TERMS = ['methods', 'list', '--amount', '10000', '--currency', 'THB', '--country', 'TH']

test('methods of another country are not shown', async () => {
  expect(await paysim({ status: 200, body: METHODS }, ...TERMS)).toMatchObject({ code: 0 })
  const { code, stdout, stderr } = await paysim(
    { status: 200, body: { ...METHODS, country: 'MY' } },
    ...TERMS,
  )
  expect({ code, stdout }, stderr).toEqual({ code: 7, stdout: '' })
  expect(stderr).toContain('country is "MY", but TH was sent')
})

const PAYOUT = { id: 'po_1', object: 'payout_intent', status: 'processing', country: 'TH', amount: '1' }
const PAGE = { data: [PAYOUT, { ...PAYOUT, id: 'po_2', country: 'MY' }], has_more: false, next_cursor: null }

test.each([[[]], [['--all']]])('payouts that the filters exclude are not shown: %j', async more => {
  const list = ['payouts', 'list', '-o', 'jsonl', ...more]
  expect(await paysim({ status: 200, body: PAGE }, ...list)).toMatchObject({ code: 0 })
  const { code, stdout, stderr } = await paysim({ status: 200, body: PAGE }, ...list, '--country', 'TH')
  expect({ code, stdout }, stderr).toEqual({ code: 7, stdout: '' })
  expect(stderr).toContain('data.1.country is "MY", but TH was sent')
})
