import { describe, expect, test } from 'vitest'
import { HTTP_FAULT_TYPES } from '../../src/contract/control/faults.ts'
import type { ProviderRule } from '../../src/contract/control/rules.ts'
import type { Why } from '../../src/contract/control/timeline.ts'
import { ERROR_STATUS, type ErrorCode } from '../../src/contract/errors.ts'
import { PAYMENT_TRIGGERS } from '../../src/contract/statuses.ts'
import { indexCatalogue } from '../../src/domain/catalogue.ts'
import type { Context } from '../../src/domain/decide/index.ts'
import { routingTable } from '../../src/domain/routing.ts'
import { foreseeRule } from '../../src/domain/rules/consult.ts'
import type { compileRule } from '../../src/domain/rules/rule.ts'
import { upcomingMoves } from '../../src/domain/upcoming-moves.ts'
import { type EndedBy, endWords } from '../../src/domain/why/answer.ts'
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
    { is: 'cancelled' as const, status: 'expired', how, rule },
    { is: 'cancelled' as const, status: 'failed', how, rule },
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
  'on hold': [{ is: 'on hold' }],
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
}
const REQUESTS: AnsweredRequest[] = [
  REQUEST,
  { ...REQUEST, ignored: ['colour'] },
  { ...REQUEST, status: 500 },
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

type Told = Pick<Why, 'kind' | 'status' | 'sentence' | 'next'>

/** A time, a duration or a name in a sentence makes no other reason. */
const shapeOf = (sentence: string) =>
  sentence.replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'T').replaceAll('its rule', 'the rule "x"')

const OUTCOMES: NonNullable<ProviderRule['outcome']>[] = [
  'manual',
  ...(['succeeded', 'expired'] as const).map(status => ({ after: '1m', status })),
  { after: '1m', status: 'failed', code: 'declined', message: 'Declined' },
]
const CANCELS: NonNullable<ProviderRule['cancel']>[] = [
  'manual',
  ...(['cancelled', 'succeeded', 'failed', 'expired', 'never'] as const).map(outcome => ({
    after: '7s',
    outcome,
  })),
]
const RECEIPTS: NonNullable<ProviderRule['receipt']>[] = [
  'manual',
  ...(['accept', 'reject'] as const).map(verdict => [{ after: '5s', verdict, message: 'Not legible' }]),
]
const RULES: (ProviderRule | undefined)[] = [
  undefined,
  { name: 'x' },
  ...OUTCOMES.map(outcome => ({ name: 'x', outcome })),
  ...CANCELS.map(cancel => ({ name: 'x', outcome: 'manual' as const, cancel })),
  ...RECEIPTS.map(receipt => ({ name: 'x', receipt })),
  { name: 'x', action: { after: '10s', expires_after: '20s' }, outcome: 'manual' },
]
const IMAGE = { digest: '0'.repeat(64), contentType: 'image/png', size: 9 } as const

/** Every answer about a payment, in each state that a rule and two steps lead to. */
function* paymentsWalked(): Generator<Told> {
  const routes = (['none', 'required'] as const).map(receipt =>
    aRoute({ id: receipt, method: receipt, receipt }),
  )
  const methods = routes.map(({ method }) => ({ code: method, label: method, category: 'bank_transfer' }))
  const catalogue = indexCatalogue({ providers: [{ id: 'siam' }], methods, routes })
  const request = { amount: '5000', currency: 'THB', country: 'TH', customer: {}, merchant_reference: 'o-1' }
  const steps = (payment: string): ((account: AccountInHand) => void)[] => [
    ...[6_000, 30_000, 120_000, 4 * 86_400_000].map(ms => (account: AccountInHand) => account.advance(ms)),
    ...PAYMENT_TRIGGERS.map(trigger => (account: AccountInHand) => {
      account.given({ type: 'MovePayment', payment, trigger }, trigger === 'succeed' ? 'payer' : 'operator')
    }),
    account => void account.given({ type: 'RequestCancel', payment }, 'merchant'),
    account => void account.given({ type: 'SubmitReceipt', payment, image: { upload: IMAGE } }, 'merchant'),
    ...methods.map(({ code }) => (account: AccountInHand) => {
      account.given({ type: 'ChooseMethod', payment, method: code, options: {}, customer: {} }, 'payer')
    }),
  ]
  const begun = (rule: ProviderRule | undefined, method: string | undefined, walked: readonly number[]) => {
    const account = new AccountInHand({ catalogue })
    if (rule) account.given({ type: 'ReplaceRules', rules: [rule] })
    const chosen = method === undefined ? {} : { payment_method: method, checkout_mode: 'merchant' as const }
    const id = account.given({ type: 'CreatePayment', request: { ...request, ...chosen } }, 'merchant')
    for (const step of walked) steps(id)[step]?.(account)
    return { account, id }
  }
  function* from(...[rule, method, walked]: Parameters<typeof begun>): Generator<Told> {
    let at: ReturnType<typeof begun>
    try {
      at = begun(rule, method, walked)
    } catch {
      // This step is refused here, and so leads nowhere.
      return
    }
    const { account, id } = at
    const payment = account.world.payments.get(id)
    if (!payment) throw new Error('no payment')
    const told = {
      account: 'default.test',
      now: account.at,
      clock: 'virtual' as const,
      coming: upcomingMoves(account.world, account.at, id, []),
      method: null,
      webhooks: [],
      triggers: PAYMENT_TRIGGERS.filter(
        trigger => 'events' in account.when({ type: 'MovePayment', payment: id, trigger }),
      ),
      foreseen: foreseeRule(account.world, [], payment, {
        environment: 'test',
        table: routingTable(account.world, account.context),
      }),
    }
    yield whyPayment(payment, { ...told, entries: account.entries })
    if (payment.outcome !== null) yield whyPayment(payment, { ...told, entries: [] })
    if (walked.length < 2) for (const step of steps(id).keys()) yield* from(rule, method, [...walked, step])
  }
  for (const rule of RULES) for (const { code } of methods) yield* from(rule, code, [])
  // What comes after the choice is the same as without one.
  for (const rule of RULES.slice(0, 3)) yield* from(rule, undefined, [])
}

describe('in each state that rules, time, people and the merchant lead to', () => {
  test('a payment has a sentence of its own, and each reason that there is comes up', () => {
    const meant = new Map<string, string>()
    const shapes = new Set<string>()
    for (const { status, sentence, next } of paymentsWalked()) {
      shapes.add(shapeOf(sentence))
      // Something else may come first, such as the end of the check of a receipt, or the time limit.
      if (next?.at && !sentence.includes(next.at)) continue
      const isOver = status === 'pending' || status === 'processing' ? 'open' : status
      const meaning = JSON.stringify([isOver, next?.at ? 'a timer' : next?.what, next?.by])
      expect(meant.get(sentence) ?? meaning, sentence).toBe(meaning)
      meant.set(sentence, meaning)
    }
    // What payments can end by; a sample of every other end is above.
    const ends = HOW.filter(how => how !== 'merchant' && how !== 'created')
    for (const how of ends) {
      const words = `: ${endWords({ how, rule })}.`
      expect(
        [...shapes].some(shape => shape.endsWith(words)),
        how,
      ).toBe(true)
    }
    const missing = all(PAYMENT)
      .filter(({ is }) => is !== 'ended' && is !== 'cancelled' && is !== 'choice')
      .map(reason => shapeOf(tellPayment(reason, { id: 'pi_1', method: 'qr' }).sentence))
      .filter(shape => !shapes.has(shape))
    expect([...new Set(missing)]).toEqual([])
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
    webhooks: [],
    triggers: ['expire'],
  })
  const { id } = payment.sortKey
  expect(commands).toEqual([
    `paysim sim payments choose ${id} 'it'\\''s; rm *' --account shop.test`,
    `paysim sim payments expire ${id} --account shop.test`,
  ])
})
