import { beforeAll, describe, expect, test } from 'vitest'
import { type Account, openAccount } from '../../support/gateway/merchant.ts'
import { sharedServer } from '../../support/gateway/shared-server.ts'
import { expectError } from '../../support/http/answers.ts'
import { type Rule, rulesOf, sendRules } from '../../support/provider/rules.ts'

const server = sharedServer()
let account: Account

beforeAll(async () => {
  account = await openAccount(server())
})

interface Problem {
  field: string
  message: string
}

/** Refused, naming the field, and nothing is different afterwards. */
async function problemAt(rules: unknown, field: string): Promise<Problem> {
  const before = await rulesOf(account)
  const answer = await sendRules(account, 'PUT', rules)
  expectError(answer, 400, 'validation_failed')
  expect(await rulesOf(account)).toEqual(before)
  const found = answer.body.error.details.find((problem: Problem) => problem.field === field)
  expect(found, `a problem at ${field} in ${answer.text}`).toBeDefined()
  return found
}

describe('an unknown key is named with a suggestion', () => {
  test.each<[Rule, string, string]>([
    [{ outcom: 'manual' }, 'outcom', 'outcome'],
    [{ mach: { kind: 'payment' } }, 'mach', 'match'],
    [{ tiems: 1 }, 'tiems', 'times'],
    [{ reciept: [{ verdict: 'accept' }] }, 'reciept', 'receipt'],
    [{ match: { metod: 'probe_qr' } }, 'match.metod', 'method'],
    [{ match: { merchant_refrence: 'a' } }, 'match.merchant_refrence', 'merchant_reference'],
    [{ not: { curency: 'THB' } }, 'not.curency', 'currency'],
    [{ match: { amount: { gtee: '1' } } }, 'match.amount.gtee', 'gte'],
    [{ match: { customer: { emial: 'a' } } }, 'match.customer.emial', 'email'],
    [{ action: { expires_afer: '5m' } }, 'action.expires_afer', 'expires_after'],
    [{ receipt: [{ verdict: 'accept', mesage: 'x' }] }, 'receipt.0.mesage', 'message'],
    [{ cancel: { afer: '5s', outcome: 'never' } }, 'cancel.afer', 'after'],
    [{ outcome: { status: 'failed', cod: 'x' } }, 'outcome.cod', 'code'],
    [{ approval: { afer: '5s' } }, 'approval.afer', 'after'],
  ])('%j', async (rule, field, meant) => {
    expect((await problemAt([{}, rule], `rules.1.${field}`)).message).toContain(`did you mean ${meant}`)
  })

  test('a key unlike any other is named without a suggestion', async () => {
    expect((await problemAt([{ zzzzzz: 1 }], 'rules.0.zzzzzz')).message).not.toContain('did you mean')
  })
})

describe('an unknown value is refused with a list of the known ones', () => {
  test.each<[Rule, string, string, string?]>([
    [{ outcome: { status: 'succeded' } }, 'outcome.status', 'succeeded', 'succeeded'],
    [{ outcome: { status: 'cancelled' } }, 'outcome.status', 'failed'],
    [{ outcome: { status: 'pending' } }, 'outcome.status', 'succeeded'],
    [{ cancel: { outcome: 'canceled' } }, 'cancel.outcome', 'never', 'cancelled'],
    [{ cancel: { outcome: 'pending' } }, 'cancel.outcome', 'cancelled'],
    [{ receipt: [{ verdict: 'rejct' }] }, 'receipt.0.verdict', 'accept', 'reject'],
    [{ match: { kind: 'payments' } }, 'match.kind', 'payout', 'payment'],
    [{ match: { checkout_mode: 'host' } }, 'match.checkout_mode', 'merchant'],
    [{ not: { environment: 'tset' } }, 'not.environment', 'live', 'test'],
  ])('%j', async (rule, field, known, meant) => {
    const { message } = await problemAt([rule], `rules.0.${field}`)
    expect(message).toContain(known)
    if (meant) expect(message).toContain(`did you mean ${meant}`)
  })
})

describe('an invalid duration is refused', () => {
  const places: [string, (duration: unknown) => Rule][] = [
    ['action.after', after => ({ action: { after } })],
    ['action.expires_after', expires_after => ({ action: { expires_after } })],
    ['receipt.0.after', after => ({ receipt: [{ after, verdict: 'accept' }] })],
    ['cancel.after', after => ({ cancel: { after, outcome: 'never' } })],
    ['outcome.after', after => ({ outcome: { after, status: 'failed' } })],
    ['approval.after', after => ({ approval: { after } })],
    ['expiry', expiry => ({ expiry })],
  ]

  test.each(places)('in every field: %s', async (field, rule) => {
    expect((await problemAt([rule('5 parsecs')], `rules.0.${field}`)).message).toMatch(/duration/)
  })

  test.each([
    ['soon'],
    [''],
    ['-5s'],
    ['5'],
    [5],
    [null],
    ['5s5'],
    ['P'],
    ['PT'],
    ['1y'],
    ['s'],
    ['1e3s'],
    ['5 s'],
  ])('%j', async duration => {
    await problemAt([{ cancel: { after: duration, outcome: 'never' } }], 'rules.0.cancel.after')
  })

  // Time ends with the year 9999: `advance` refuses to go there too.
  test.each(places)('an extreme one in %s is refused or does not break the account', async (_, rule) => {
    const own = await openAccount(server())
    const answer = await sendRules(own, 'PUT', [rule('99999999d')])
    if (answer.status === 400) return
    const made = await own.call('POST', '/payment_intents', {
      body: {
        amount: '15000',
        currency: 'THB',
        country: 'TH',
        checkout_mode: 'merchant',
        payment_method: 'probe_transfer',
        merchant_reference: 'order-1',
        customer: {},
      },
    })
    expect(made.status, made.text).toBe(201)
    await own.cancel(made.body.id)
    const clock = await own.control('GET', '/clock')
    expect(clock.status, clock.text).toBe(200)
  })

  test.each(['0s', '250ms', '1.5s', '10m', '1h30m', '24h', '7d', 'PT5M', 'P1DT12H'])(
    'but %s is accepted',
    async after => {
      const answer = await sendRules(await openAccount(server()), 'PUT', [
        { cancel: { after, outcome: 'never' } },
      ])
      expect(answer.status, answer.text).toBe(200)
    },
  )
})

describe('an impossible rule is refused', () => {
  test.each<[string, Rule, string]>([
    ['a count below one', { times: 0 }, 'times'],
    ['a fraction of a time', { times: 1.5 }, 'times'],
    ['the zeroth match', { match: { nth: 0 } }, 'match.nth'],
    ['an amount with a point', { match: { amount: { gte: '10.00' } } }, 'match.amount.gte'],
    ['a negative amount', { match: { amount: { lt: '-1' } } }, 'match.amount.lt'],
    ['an amount in words', { match: { amount: { eq: 'many' } } }, 'match.amount.eq'],
    ['no verdict at all', { receipt: [] }, 'receipt'],
    ['a verdict that is not said', { receipt: [{ after: '5s' }] }, 'receipt.0.verdict'],
    ['a cancellation without its outcome', { cancel: { after: '5s' } }, 'cancel.outcome'],
    ['an outcome without its status', { outcome: { after: '5s' } }, 'outcome.status'],
    ['an empty list of methods', { match: { method: [] } }, 'match.method'],
    ['a match that is text', { match: 'payment' }, 'match'],
  ])('%s', async (_, rule, field) => {
    await problemAt([rule], `rules.0.${field}`)
  })

  test.each<[string, Rule, string]>([
    ['a payout with an action', { match: { kind: 'payout' }, action: { after: '5s' } }, 'action'],
    ['a payout with receipts', { match: { kind: 'payout' }, receipt: [{ verdict: 'accept' }] }, 'receipt'],
    ['a payout with a cancellation', { match: { kind: 'payout' }, cancel: { outcome: 'never' } }, 'cancel'],
    ['a payout with an expiry', { match: { kind: 'payout' }, expiry: '1h' }, 'expiry'],
    [
      'a payout that expires',
      { match: { kind: 'payout' }, outcome: { status: 'expired' } },
      'outcome.status',
    ],
    ['a payment with an approval', { match: { kind: 'payment' }, approval: { after: '1h' } }, 'approval'],
    ['an approval beside an action', { approval: { after: '1h' }, action: { after: '1h' } }, 'approval'],
  ])('as a contradiction: %s', async (_, rule, field) => {
    await problemAt([rule], `rules.0.${field}`)
  })

  test('reports all problems at once', async () => {
    const answer = await sendRules(account, 'PUT', [{ outcom: 1 }, { times: 0 }])
    const fields = answer.body.error.details.map(({ field }: Problem) => field)
    expect(fields).toEqual(expect.arrayContaining(['rules.0.outcom', 'rules.1.times']))
  })
})

describe('a body that is not {rules: […]} is refused', () => {
  test.each([{}, [], { rules: {} }, { rules: 'all' }, { rules: [1] }, { rules: [], rule: [] }])(
    '%j',
    async body => {
      const before = await rulesOf(account)
      expectError(await account.control('PUT', '/rules', { body }), 400, 'validation_failed')
      expect(await rulesOf(account)).toEqual(before)
    },
  )

  test('and so is one that is not JSON', async () => {
    const raw = { raw: '{"rules":', headers: { 'content-type': 'application/json' } }
    expectError(await account.control('PUT', '/rules', raw), 400, 'validation_failed')
  })
})
