import { describe, expect, test } from 'vitest'
import { readRules } from '../../src/domain/rules/rule.ts'

function problemsOf(...rules: unknown[]): string[] {
  const read = readRules({ rules })
  return 'problems' in read ? read.problems.map(({ field, message }) => `${field} ${message}`) : []
}

describe('an invalid rule is refused with the reason', () => {
  test.each([
    [{ name: '' }, 'rules.0.name must not be empty'],
    [{ times: 0 }, /^rules\.0\.times /],
    [{ times: 1.5 }, 'rules.0.times must be an integer'],
    [{ match: { nth: 0 } }, /^rules\.0\.match\.nth /],
    [{ match: 'payment' }, /^rules\.0\.match /],
    [{ match: { method: [] } }, /^rules\.0\.match\.method/],
    [{ match: { amount: '007' } }, /^rules\.0\.match\.amount/],
    [{ match: { amount: { gte: 5 } } }, /^rules\.0\.match\.amount/],
    [{ match: { amount: { gte: '10.00' } } }, /^rules\.0\.match\.amount\.gte/],
    [{ match: { amount: { lt: '-1' } } }, /^rules\.0\.match\.amount\.lt/],
    [{ match: { amount: { eq: 'many' } } }, /^rules\.0\.match\.amount\.eq/],
    [{ receipt: [] }, /^rules\.0\.receipt/],
    [{ receipt: [{ after: '5s' }] }, /^rules\.0\.receipt\.0\.verdict/],
    [{ cancel: { after: '5s' } }, /^rules\.0\.cancel\.outcome/],
    [{ outcome: { after: '5s' } }, /^rules\.0\.outcome\.status/],
    [null, 'rules.0 must be an object'],
  ])('%j', (rule, problem) => {
    const [first] = problemsOf(rule)
    if (typeof problem === 'string') expect(first).toBe(problem)
    else expect(first).toMatch(problem)
  })

  test.each([
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
  ])('an unknown key is named with a suggestion: %j', (rule, field, meant) => {
    expect(problemsOf(rule)).toContain(`rules.0.${field} is not a known key; did you mean ${meant}?`)
  })

  test('a key unlike any other is named without a suggestion', () => {
    const [problem] = problemsOf({ zzzzzz: 1 })
    expect(problem).toMatch(/^rules\.0\.zzzzzz /)
    expect(problem).not.toContain('did you mean')
  })

  test.each([
    [{ outcome: { status: 'succeded' } }, 'outcome.status', 'succeeded', 'succeeded'],
    [{ outcome: { status: 'cancelled' } }, 'outcome.status', 'failed', ''],
    [{ outcome: { status: 'pending' } }, 'outcome.status', 'succeeded', ''],
    [{ cancel: { outcome: 'canceled' } }, 'cancel.outcome', 'never', 'cancelled'],
    [{ cancel: { outcome: 'pending' } }, 'cancel.outcome', 'cancelled', ''],
    [{ receipt: [{ verdict: 'rejct' }] }, 'receipt.0.verdict', 'accept', 'reject'],
    [{ match: { kind: 'payement' } }, 'match.kind', 'payout', 'payment'],
    [{ match: { checkout_mode: 'host' } }, 'match.checkout_mode', 'merchant', ''],
    [{ not: { environment: 'tset' } }, 'not.environment', 'live', 'test'],
  ])('an unknown value is refused with a list of the known ones: %j', (rule, field, known, meant) => {
    const problem = problemsOf(rule).find(each => each.startsWith(`rules.0.${field} `))
    expect(problem).toContain(known)
    if (meant) expect(problem).toContain(`did you mean ${meant}`)
  })

  const WITH_DURATION: [string, (duration: unknown) => unknown][] = [
    ['action.after', after => ({ action: { after } })],
    ['action.expires_after', expires_after => ({ action: { expires_after } })],
    ['receipt.0.after', after => ({ receipt: [{ after, verdict: 'accept' }] })],
    ['cancel.after', after => ({ cancel: { after, outcome: 'never' } })],
    ['outcome.after', after => ({ outcome: { after, status: 'failed' } })],
    ['approval.after', after => ({ approval: { after } })],
    ['expiry', expiry => ({ expiry })],
  ]

  test.each(WITH_DURATION)('in %s, what is not a duration or is beyond the calendar', (field, rule) => {
    const noDurations = ['soon', '', '-5s', '5', 5, null, '5s5', 'P', 'PT', '1y', 's', '1e3s', '5 s']
    for (const bad of ['5 parsecs', ...noDurations, '104000000d'])
      expect(problemsOf(rule(bad)).join(), String(bad)).toContain(`rules.0.${field} `)
    expect(problemsOf(rule('5 parsecs')).join()).toContain('duration')
  })

  test.each(WITH_DURATION)('but in %s, durations', (_, rule) => {
    for (const good of ['0s', '250ms', '1.5s', '10m', '1h30m', '24h', '7d', 'PT5M', 'P1DT12H'])
      expect(problemsOf(rule(good)), good).toEqual([])
  })

  test('names each invalid rule', () => {
    expect(problemsOf({}, { tims: 1 }, {}, { outcme: 1 }).map(problem => problem.split(' ')[0])).toEqual([
      'rules.1.tims',
      'rules.3.outcme',
    ])
  })
})

describe('a well-formed rule that makes no sense is refused', () => {
  test.each([
    [
      { match: { kind: 'payout' }, expiry: '1h' },
      'rules.0.expiry is only for payments, but the rule matches payouts',
    ],
    [
      { match: { kind: 'payout' }, receipt: 'manual', cancel: 'manual' },
      'rules.0.receipt is only for payments, but the rule matches payouts',
    ],
    [
      { match: { kind: 'payout' }, action: { after: '5s' } },
      'rules.0.action is only for payments, but the rule matches payouts',
    ],
    [
      { match: { kind: 'payout' }, cancel: { outcome: 'never' } },
      'rules.0.cancel is only for payments, but the rule matches payouts',
    ],
    [
      { match: { kind: 'payment' }, approval: 'manual' },
      'rules.0.approval is only for payouts, but the rule matches payments',
    ],
    [
      { approval: {}, action: {} },
      'rules.0.approval is only for payouts, but action is only for payments: write two rules',
    ],
    [
      { match: { kind: 'payout' }, outcome: { status: 'expired' } },
      'rules.0.outcome.status must be succeeded or failed: a payout does not expire',
    ],
    [
      { approval: {}, outcome: { status: 'expired' } },
      'rules.0.outcome.status must be succeeded or failed: a payout does not expire',
    ],
  ])('%j', (rule, problem) => {
    expect(problemsOf(rule)).toContain(problem)
  })
})

test.each([{}, [], null, { rules: {} }, { rules: 'all' }, { rules: [], more: 1 }, 'rules'])(
  '%j contains no rules',
  data => {
    expect(readRules(data)).toHaveProperty('problems')
  },
)

test('the rules in the documentation are accepted', () => {
  expect(
    problemsOf(
      {
        name: 'receipt fails once, then the money comes',
        match: {
          kind: 'payment',
          method: 'th_bank_transfer',
          amount: { gte: '100000' },
          merchant_reference: 'order-*',
        },
        not: { checkout_mode: 'hosted' },
        times: 1,
        action: { after: '0s', expires_after: '15m' },
        receipt: [
          { after: '5s', verdict: 'reject', message: 'Amount is not legible' },
          { after: '5s', verdict: 'accept' },
        ],
        cancel: { after: '10s', outcome: 'cancelled' },
        outcome: { after: '30s', status: 'succeeded' },
      },
      {
        match: { kind: 'payout' },
        approval: { after: '1h' },
        outcome: { after: '2d', status: 'failed', code: 'x', message: 'y' },
      },
      { outcome: 'manual', receipt: 'manual', cancel: 'manual' },
      {},
    ),
  ).toEqual([])
})
