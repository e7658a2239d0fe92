import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ProviderRule, RuleCondition } from '../../src/contract/control/rules.ts'
import { compileCondition } from '../../src/domain/rules/condition.ts'
import { compileRule } from '../../src/domain/rules/rule.ts'
import { paymentFacts, payoutFacts } from '../support/domain/rule-facts.ts'

const holds = (condition: RuleCondition, facts = paymentFacts()) => compileCondition(condition)(facts)
const matchesReference = (glob: string, merchantReference: string) =>
  holds({ merchant_reference: glob }, paymentFacts({ merchantReference }))

describe('a condition on one fact', () => {
  test.each<[RuleCondition, RuleCondition]>([
    [{ kind: 'payment' }, { kind: 'payout' }],
    [{ environment: 'test' }, { environment: 'live' }],
    [{ checkout_mode: 'merchant' }, { checkout_mode: 'hosted' }],
    [{ method: 'th_*' }, { method: 'vn_*' }],
    [{ method: ['vn_qr', 'th_bank_transfer'] }, { method: ['vn_qr', 'th'] }],
    [{ provider: 'siam' }, { provider: 'SIAM' }],
    [{ currency: 'THB' }, { currency: 'TH' }],
    [{ country: 'T?' }, { country: 'T??' }],
    [{ merchant_reference: 'order-*' }, { merchant_reference: 'order-' }],
    [{ customer: { name: 'A?n' } }, { customer: { name: 'Bob' } }],
    [{ customer: { phone: '08*' } }, { customer: { phone: '09*' } }],
    [{ customer: { email: '*@example.com' } }, { customer: { email: '*@exampleXcom' } }],
    [{}, { recipient: { bank_code: '*' } }],
  ])('%j holds and %j does not', (right, wrong) => {
    expect(holds(right)).toBe(true)
    expect(holds(wrong)).toBe(false)
  })

  test.each<RuleCondition>([
    { method: '*' },
    { provider: '*' },
    { checkout_mode: 'merchant' },
    { customer: { name: '*' } },
  ])('%j never holds for a payout, which has no such fact', condition => {
    expect(holds(condition, payoutFacts())).toBe(false)
  })

  test('can match the recipient of a payout', () => {
    expect(holds({ recipient: { bank_code: 'bbl', holder_name: 'Som*' } }, payoutFacts())).toBe(true)
    expect(holds({ recipient: { bank_code: 'bbl', holder_name: 'som*' } }, payoutFacts())).toBe(false)
  })

  test('does not hold for a fact that was not given, even with *', () => {
    expect(holds({ merchant_reference: '*' }, paymentFacts({ merchantReference: null }))).toBe(false)
    expect(holds({ customer: { name: '*' } }, paymentFacts({ customer: {} }))).toBe(false)
  })
})

test('all parts of a condition must hold', () => {
  expect(holds({ method: 'th_*', amount: '5000', customer: { name: 'Ann', phone: '*' } })).toBe(true)
  expect(holds({ method: 'th_*', amount: '5000', customer: { name: 'Ann', phone: '1' } })).toBe(false)
  expect(holds({})).toBe(true)
})

describe('a glob', () => {
  const METACHARACTERS = [
    '.',
    '+',
    '^',
    '$',
    '(a)',
    '[a]',
    '{2}',
    '|',
    '\\',
    '\\d',
    '(?:',
    '/',
    '-',
    'a|b',
    '^a$',
  ]

  test.each(METACHARACTERS)('%s stands for itself', text => {
    expect(matchesReference(text, text)).toBe(true)
    expect(matchesReference(text, 'a')).toBe(false)
    expect(matchesReference(`*${text}`, `before${text}`)).toBe(true)
    expect(matchesReference(`${text}?`, `${text}x`)).toBe(true)
  })

  test('without a star or a question mark is the text itself', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.string({ unit: 'grapheme' }), (glob, text) => {
        fc.pre(!/[*?]/.test(glob) && glob !== '')
        expect(matchesReference(glob, glob)).toBe(true)
        expect(matchesReference(glob, text)).toBe(glob === text)
      }),
    )
  })

  test('agrees with a matcher that tries everything', () => {
    const letters = (letters: string) => fc.stringMatching(new RegExp(`^[${letters}]{1,6}$`))
    fc.assert(
      fc.property(letters('ab.*?'), letters('ab.'), (glob, text) => {
        expect(matchesReference(glob, text)).toBe(naive([...glob], [...text]))
      }),
      { numRuns: 2000 },
    )
  })

  test.each([
    ['?', '😀', true],
    ['??', '😀', false],
    ['*', 'two\nlines', true],
    ['a*b', 'a\nb', true],
    ['a?b', 'a\nb', true],
    ['order', 'Order', false],
    ['order', 'reorder', false],
    ['order', 'orders', false],
  ])('%j and %j: %s', (glob, text, matches) => {
    expect(matchesReference(glob, text)).toBe(matches)
  })

  // Trying every way to share the text among the stars would take longer than anybody lives.
  test('with many stars is decided in time', () => {
    expect(matchesReference(`${'*a'.repeat(50)}*b`, 'a'.repeat(256))).toBe(false)
  })
})

function naive([first, ...rest]: string[], text: string[]): boolean {
  if (first === undefined) return text.length === 0
  if (first === '*') return naive(rest, text) || (text.length > 0 && naive(['*', ...rest], text.slice(1)))
  return text.length > 0 && (first === '?' || first === text[0]) && naive(rest, text.slice(1))
}

describe('amounts', () => {
  test.each<[NonNullable<RuleCondition['amount']>, string[], string[]]>([
    ['5000', ['5000'], ['50000', '500', '4999']],
    [{ eq: '5000' }, ['5000'], ['5001']],
    [{ gt: '999' }, ['1000', '99999999999999999999999'], ['999', '998', '1']],
    [{ gte: '1000' }, ['1000', '1001'], ['999']],
    [{ lt: '1000' }, ['999', '1'], ['1000', '10000']],
    [{ lte: '1000' }, ['1000', '9'], ['1001']],
    [{ gte: '100', lt: '200' }, ['100', '199'], ['99', '200']],
    [{ gt: '9007199254740992' }, ['9007199254740993'], ['9007199254740992', '9007199254740991']],
    [{}, ['1'], []],
  ])('%j', (amount, inside, outside) => {
    for (const each of inside)
      expect([each, holds({ amount }, paymentFacts({ amount: each }))]).toEqual([each, true])
    for (const each of outside)
      expect([each, holds({ amount }, paymentFacts({ amount: each }))]).toEqual([each, false])
  })

  test('compare as whole numbers of any size', () => {
    const amounts = fc.bigInt({ min: 1n, max: 10n ** 40n })
    fc.assert(
      fc.property(amounts, amounts, (amount, limit) => {
        const facts = paymentFacts({ amount: String(amount) })
        expect(holds({ amount: { lt: String(limit) } }, facts)).toBe(amount < limit)
        expect(holds({ amount: { lte: String(limit) } }, facts)).toBe(amount <= limit)
        expect(holds({ amount: { gt: String(limit) } }, facts)).toBe(amount > limit)
        expect(holds({ amount: { gte: String(limit) } }, facts)).toBe(amount >= limit)
      }),
    )
  })
})

describe('a rule as a whole', () => {
  test.each<[ProviderRule, boolean, boolean]>([
    [{}, true, true],
    [{ match: { kind: 'payout' } }, false, true],
    [{ approval: 'manual' }, false, true],
    [{ expiry: '1h' }, true, false],
    [{ receipt: 'manual' }, true, false],
    [{ outcome: 'manual' }, true, true],
    [{ not: { checkout_mode: 'merchant' } }, false, true],
    [{ not: { checkout_mode: 'hosted' } }, true, true],
    [{ match: { country: 'TH' }, not: { amount: { lt: '5000' } } }, true, true],
    [{ match: { country: 'TH' }, not: { amount: { lte: '5000' }, currency: 'THB' } }, false, false],
    [{ not: { amount: '5000', currency: 'USD' } }, true, true],
  ])('%j: payments %s, payouts %s', (data, payments, payouts) => {
    const rule = compileRule(data)
    expect([rule.holds(paymentFacts()), rule.holds(payoutFacts())]).toEqual([payments, payouts])
  })

  test('with not.nth excludes a turn and no fact', () => {
    expect(compileRule({ not: { nth: 2 } }).holds(paymentFacts())).toBe(true)
  })
})
