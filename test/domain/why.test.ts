import { describe, expect, test } from 'vitest'
import { HTTP_FAULT_TYPES } from '../../src/contract/control/faults.ts'
import { ERROR_STATUS, type ErrorCode } from '../../src/contract/errors.ts'
import { indexCatalogue } from '../../src/domain/catalogue.ts'
import type { Context } from '../../src/domain/decide/index.ts'
import { routingTable } from '../../src/domain/routing.ts'
import { foreseeRule } from '../../src/domain/rules/consult.ts'
import type { compileRule } from '../../src/domain/rules/rule.ts'
import type { EndedBy } from '../../src/domain/why/answer.ts'
import { type DeliveryReason, tellDelivery } from '../../src/domain/why/delivery.ts'
import { type PaymentReason, tellPayment, whyPayment } from '../../src/domain/why/payment.ts'
import { type PayoutReason, tellPayout } from '../../src/domain/why/payout.ts'
import { type AnsweredRequest, tellRequest } from '../../src/domain/why/request.ts'
import { AccountInHand } from '../support/domain/account-in-hand.ts'
import { aRoute } from '../support/domain/decisions.ts'

/** Every reason of a kind, in all its variants: the compiler asks for the samples of a new one. */
type Samples<R extends { readonly is: string }> = {
  readonly [Is in R['is']]: readonly Extract<R, { is: Is }>[]
}

const at = '2027-01-01T00:00:00.000Z'
const rule = 'the rule "x"'
const HOW = Object.keys({
  rule: true,
  'time limit': true,
  cancellation: true,
  operator: true,
  payer: true,
  merchant: true,
  created: true,
  unknown: true,
} satisfies Record<EndedBy, true>) as EndedBy[]

const PAYMENT: Samples<PaymentReason> = {
  choice: [
    { is: 'choice', rule: { is: 'rule', name: 'x', manual: false } },
    { is: 'choice', rule: { is: 'rule', name: 'x', manual: true } },
    { is: 'choice', rule: { is: 'rule', name: null, manual: false } },
    { is: 'choice', rule: { is: 'none' } },
    { is: 'choice', rule: { is: 'depends' } },
    { is: 'choice', rule: { is: 'no method' } },
  ],
  'page closed': [{ is: 'page closed' }],
  'cancellation timed': (['confirm-cancel', 'succeed', 'fail', 'expire'] as const).map(trigger => ({
    is: 'cancellation timed',
    at,
    trigger,
  })),
  'cancellation by hand': [{ is: 'cancellation by hand', rule }],
  'action timed': [{ is: 'action timed', at }],
  'action over': [{ is: 'action over' }],
  'receipt required': [{ is: 'receipt required' }],
  'receipt timed': (['accept-receipt', 'reject-receipt'] as const).map(trigger => ({
    is: 'receipt timed',
    at,
    trigger,
  })),
  'receipt by hand': [{ is: 'receipt by hand', rule }],
  'receipt rejected': [{ is: 'receipt rejected', message: 'Not legible' }],
  'outcome timed': (['succeed', 'fail', 'expire'] as const).map(trigger => ({
    is: 'outcome timed',
    at,
    trigger,
    rule,
  })),
  'outcome by hand': [null, rule].flatMap(name =>
    [true, false].map(receipt => ({ is: 'outcome by hand' as const, rule: name, receipt })),
  ),
  ended: HOW.flatMap(how => [
    { is: 'ended' as const, status: 'succeeded' as const, how, rule },
    { is: 'ended' as const, status: 'expired' as const, how, rule },
    ...['declined: Declined', 'insufficient_funds: Declined'].map(failure => ({
      is: 'ended' as const,
      status: 'failed' as const,
      failure,
      how,
      rule,
    })),
  ]),
  cancelled: HOW.flatMap(how => [
    { is: 'cancelled' as const, status: 'expired', failure: null, how, rule },
    { is: 'cancelled' as const, status: 'failed', failure: 'payment_cancelled: Cancelled', how, rule },
  ]),
}

const PAYOUT: Samples<PayoutReason> = {
  'approval timed': [{ is: 'approval timed', at, rule }],
  'approval by hand': [null, rule].map(name => ({ is: 'approval by hand', rule: name })),
  'outcome timed': (['succeed', 'fail'] as const).map(trigger => ({
    is: 'outcome timed',
    at,
    trigger,
    rule,
  })),
  'outcome by hand': [null, rule].map(name => ({ is: 'outcome by hand', rule: name })),
  ended: HOW.flatMap(how => [
    { is: 'ended' as const, status: 'succeeded' as const, how, rule },
    { is: 'ended' as const, status: 'failed' as const, reason: 'declined: Declined', how, rule },
    { is: 'ended' as const, status: 'cancelled' as const, reason: null, how, rule },
    { is: 'ended' as const, status: 'cancelled' as const, reason: 'wrong bank', how, rule },
  ]),
}

const DELIVERY: Samples<DeliveryReason> = {
  'first attempt': [{ is: 'first attempt', at }],
  delayed: [{ is: 'delayed', at }],
  held: [{ is: 'held', at }],
  overtaken: [{ is: 'overtaken', at }],
  'sent again': [{ is: 'sent again', at }],
  retry: ['answered 500', 'ECONNREFUSED'].map(last => ({ is: 'retry', at, tried: 2, last })),
  'under way': [{ is: 'under way', tried: 1 }],
  delivered: [{ is: 'delivered', tried: 1, status: 200 }],
  'taken with a wrong signature': [{ is: 'taken with a wrong signature', status: 200 }],
  'given up': [{ is: 'given up', tried: 8, last: 'answered 500' }],
  'endpoint gone': [{ is: 'endpoint gone' }],
  'endpoint disabled': [{ is: 'endpoint disabled' }],
  'endpoint removed': [{ is: 'endpoint removed' }],
  dropped: [{ is: 'dropped' }],
}

const all = <R extends { readonly is: string }>(samples: Samples<R>) => Object.values(samples).flat() as R[]

const REQUEST: AnsweredRequest = {
  id: 'req_1',
  method: 'POST',
  path: '/payment_intents',
  status: 201,
  at,
  ignored: [],
  code: null,
  message: null,
  fault: null,
  isKept: true,
}
const REQUESTS: AnsweredRequest[] = [
  REQUEST,
  { ...REQUEST, ignored: ['colour'] },
  { ...REQUEST, status: 500 },
  { ...REQUEST, status: 500, isKept: false },
  ...Object.entries(ERROR_STATUS).map(([code, status]) => ({ ...REQUEST, status, code: code as ErrorCode })),
  ...HTTP_FAULT_TYPES.flatMap(type =>
    [true, false].map(carriedOut => ({ ...REQUEST, fault: { type, carriedOut } })),
  ),
]

describe('a sentence', () => {
  test.each([
    ['payment', all(PAYMENT).map(reason => tellPayment(reason, { id: 'pi_1', method: 'qr' }).sentence)],
    ['payout', all(PAYOUT).map(reason => tellPayout(reason, 'po_1').sentence)],
    ['delivery', all(DELIVERY).map(reason => tellDelivery(reason, 'dlv_1').sentence)],
    ['request', REQUESTS.map(tellRequest)],
  ])('is of one reason of a %s only', (_, sentences) => {
    const twice = sentences.filter((sentence, nth) => sentences.indexOf(sentence) !== nth)
    expect(twice).toEqual([])
    for (const sentence of sentences) expect(sentence).toMatch(/^[A-Z][^\n]*\.$/)
    expect(sentences.join()).not.toMatch(/undefined|null|NaN/)
  })
})

/** A hosted payment before its choice, and what is known of its rule. */
function foreseen(rules: Parameters<typeof compileRule>[0][], customer = {}, context: Partial<Context> = {}) {
  const account = new AccountInHand(context)
  account.given({ type: 'ReplaceRules', rules })
  const { world } = account
  const request = { amount: '5000', currency: 'THB', country: 'TH', customer }
  const payment = world.payments.get(account.given({ type: 'CreatePayment', request }))
  if (!payment) throw new Error('no payment')
  const table = routingTable(world, account.context)
  return { payment, rule: foreseeRule(world, [], payment, { environment: 'test', table }) }
}

describe('the rule of a payment whose method is still to be chosen', () => {
  test('is named if it is the same whatever is chosen', () => {
    const rules = [
      { name: 'big', match: { amount: { gt: '9000' } } },
      { name: 'small', outcome: 'manual' as const },
    ]
    expect(foreseen(rules).rule).toEqual({ is: 'rule', name: 'small', manual: true })
  })
  test('is none if none would match', () => {
    expect(foreseen([{ name: 'other', match: { currency: 'USD' } }]).rule).toEqual({ is: 'none' })
  })
  test('depends on what the payer may still say', () => {
    const rules = [{ name: 'ann', match: { customer: { name: 'Ann*' } } }, { name: 'others' }]
    expect(foreseen(rules).rule).toEqual({ is: 'depends' })
    expect(foreseen(rules, { name: 'Bob' }).rule).toMatchObject({ name: 'others' })
  })
  test('depends on the method, if it matches only one of them', () => {
    const methods = ['transfer', 'qr'].map(code => ({ code, label: code, category: 'bank_transfer' }))
    const routes = [aRoute(), aRoute({ id: 'route-2', method: 'qr' })]
    const catalogue = indexCatalogue({ providers: [{ id: 'siam' }], methods, routes })
    const rules = [{ name: 'one', match: { method: 'qr' } }]
    expect(foreseen(rules, {}, { catalogue }).rule).toEqual({ is: 'depends' })
    expect(foreseen(rules).rule).toEqual({ is: 'none' })
  })
})

test('a command is quoted for a POSIX shell', () => {
  const { payment, rule } = foreseen([])
  const { commands } = whyPayment(payment, {
    account: 'shop.test',
    now: 0,
    clock: 'virtual',
    coming: [],
    entries: [],
    foreseen: rule,
    method: "it's; rm *",
    triggers: ['expire'],
  })
  const { id } = payment.sortKey
  expect(commands).toEqual([
    `paysim sim payments choose ${id} 'it'\\''s; rm *' --account shop.test`,
    `paysim sim payments expire ${id} --account shop.test`,
  ])
})
