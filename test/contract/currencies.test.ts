import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { exponentOf, formatMinor, numericCodeOf } from '../../src/contract/currencies.ts'

describe('minor units', () => {
  test.each([
    ['THB', 2],
    ['IDR', 2],
    ['VND', 0],
    ['JPY', 0],
    ['UGX', 0],
    ['KWD', 3],
    ['CLF', 4],
    ['USDT', 2],
  ])('%s has %i', (currency, exponent) => {
    expect(exponentOf(currency)).toBe(exponent)
  })

  test('agrees with the currency data of the platform', () => {
    // CLDR rounds some currencies that ISO does not; these are the ones that payments here are made in.
    for (const currency of [
      'THB',
      'VND',
      'PHP',
      'MYR',
      'SGD',
      'KHR',
      'JPY',
      'KRW',
      'USD',
      'EUR',
      'BHD',
      'CLF',
    ]) {
      const format = new Intl.NumberFormat('en', { style: 'currency', currency })
      expect([currency, format.resolvedOptions().maximumFractionDigits]).toEqual([
        currency,
        exponentOf(currency),
      ])
    }
  })
})

describe('numeric codes', () => {
  test.each([
    ['THB', '764'],
    ['VND', '704'],
    ['IDR', '360'],
    ['PHP', '608'],
    ['MYR', '458'],
    ['ALL', '008'],
    ['ZWG', '924'],
  ])('%s is %s', (currency, code) => {
    expect(numericCodeOf(currency)).toBe(code)
  })

  test('knows no code of a currency outside ISO 4217', () => {
    expect(numericCodeOf('USDT')).toBeUndefined()
    expect(numericCodeOf('toString')).toBeUndefined()
  })
})

describe('formatMinor', () => {
  test.each([
    ['123450', 'THB', '1234.50'],
    ['10000', 'THB', '100.00'],
    ['5000', 'VND', '5000'],
    ['5', 'THB', '0.05'],
    ['50', 'THB', '0.50'],
    ['100', 'THB', '1.00'],
    ['1', 'KWD', '0.001'],
    ['12345', 'CLF', '1.2345'],
    ['123456789012345678901234567890', 'MYR', '1234567890123456789012345678.90'],
  ])('%s %s is %s', (amount, currency, decimal) => {
    expect(formatMinor(amount, currency)).toBe(decimal)
  })

  test('loses no digit of any amount', () => {
    const amounts = fc.bigInt({ min: 1n, max: 10n ** 40n })
    fc.assert(
      fc.property(amounts, fc.constantFrom('THB', 'VND', 'KWD', 'UYW'), (amount, currency) => {
        const [whole = '', fraction = ''] = formatMinor(String(amount), currency).split('.')
        expect(fraction).toHaveLength(exponentOf(currency))
        expect(whole).toMatch(/^(0|[1-9]\d*)$/)
        expect(BigInt(whole + fraction)).toBe(amount)
      }),
    )
  })
})
