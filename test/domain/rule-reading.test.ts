import { describe, expect, test } from 'vitest'
import { readRules } from '../../src/domain/rules/read-rules.ts'

function problemsOf(...rules: unknown[]): string[] {
  const read = readRules({ rules })
  return 'problems' in read ? read.problems.map(({ field, message }) => `${field} ${message}`) : []
}

describe('an invalid rule is refused with the reason', () => {
  test.each([
    [{ outcom: 'manual' }, 'rules.0.outcom is not a known key; did you mean outcome?'],
    [
      { match: { merchant_refrence: 'a' } },
      'rules.0.match.merchant_refrence is not a known key; did you mean merchant_reference?',
    ],
    [
      { match: { kind: 'payement' } },
      'rules.0.match.kind must be one of payment, payout; did you mean payment?',
    ],
    [{ match: { nth: 0 } }, /^rules\.0\.match\.nth /],
    [{ times: 0 }, /^rules\.0\.times /],
    [{ times: 1.5 }, 'rules.0.times must be an integer'],
    [{ name: '' }, 'rules.0.name must not be empty'],
    [{ expiry: 'soon' }, /^rules\.0\.expiry must be a duration/],
    [{ expiry: 5 }, 'rules.0.expiry must be a string'],
    [{ action: { after: '5' } }, /^rules\.0\.action\.after must be a duration/],
    [{ receipt: [] }, /^rules\.0\.receipt/],
    [{ receipt: [{ verdict: 'acept' }] }, /^rules\.0\.receipt/],
    [{ cancel: { outcome: 'lost' } }, /^rules\.0\.cancel/],
    [{ outcome: { status: 'cancelled' } }, /^rules\.0\.outcome/],
    [{ match: { amount: '007' } }, /^rules\.0\.match\.amount/],
    [{ match: { amount: { gte: 5 } } }, /^rules\.0\.match\.amount/],
    [
      { match: { customer: { nme: 'x' } } },
      'rules.0.match.customer.nme is not a known key; did you mean name?',
    ],
    [{ match: { method: [] } }, /^rules\.0\.match\.method/],
    [null, 'rules.0 must be an object'],
  ])('%j', (rule, problem) => {
    const [first] = problemsOf(rule)
    if (typeof problem === 'string') expect(first).toBe(problem)
    else expect(first).toMatch(problem)
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

test.each([{}, [], null, { rules: {} }, { rules: [], more: 1 }, 'rules'])('%j contains no rules', data => {
  expect(readRules(data)).toHaveProperty('problems')
})

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

test.each([
  { expiry: '104000000d', action: { expires_after: '104000000d' } },
  { outcome: { after: '104000000d', status: 'succeeded' } },
])('a time beyond the calendar is refused: %j', rule => {
  expect(problemsOf(rule)).not.toEqual([])
})
