import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readAmount } from '../../../src/cli/fields/amount.ts'
import { formatMoney } from '../../../src/cli/output/members.ts'
import { exponentOf } from '../../../src/contract/currencies.ts'

const currency = fc.constantFrom('THB', 'IDR', 'VND', 'JPY', 'KWD', 'CLF')
/** Longer than any number type holds. */
const minor = fc.bigInt({ min: 1n, max: 10n ** 40n }).map(String)
const refused = (text: string) => expect(() => readAmount(text), text).toThrow(/"|amount/)

describe('an amount as people write it', () => {
  test('reads back as the minor units it was printed from, in any currency', () => {
    fc.assert(
      fc.property(minor, currency, (amount, code) => {
        const written = formatMoney(amount, code)
        fc.pre(!/^\d{1,3},\d{3} /.test(written) || exponentOf(code) !== 3)
        expect(readAmount(written)).toEqual({ written, minor: amount, currency: code })
        expect(readAmount(written.replaceAll(',', '')).minor).toBe(amount)
      }),
    )
  })

  test('has its currency before or after it, in any case, with or without blanks', () => {
    fc.assert(
      fc.property(minor, currency, fc.constantFrom('', ' ', '  '), (amount, code, blank) => {
        const [number = ''] = formatMoney(amount, code).split(' ')
        for (const spelled of [code, code.toLowerCase()]) {
          expect(readAmount(`${number}${blank}${spelled}`)).toMatchObject({ minor: amount, currency: code })
          expect(readAmount(`${spelled}${blank}${number}`)).toMatchObject({ minor: amount, currency: code })
        }
      }),
    )
  })

  test('may leave out its decimals, which are then zeros', () => {
    fc.assert(
      fc.property(minor, currency, (whole, code) => {
        expect(readAmount(`${whole} ${code}`).minor).toBe(`${whole}${'0'.repeat(exponentOf(code))}`)
      }),
    )
  })

  test('has at most the decimals of its currency, even if they are zeros', () => {
    fc.assert(
      fc.property(fc.nat(), currency, fc.integer({ min: 1, max: 9 }), (whole, code, beyond) => {
        refused(`${whole}.${'0'.repeat(exponentOf(code) + beyond)} ${code}`)
      }),
    )
  })

  test('means the same without its commas, or is refused', () => {
    const spotted = fc.tuple(
      fc.stringMatching(/^[1-9]\d{0,11}$/),
      fc.array(fc.nat({ max: 12 }), { maxLength: 4 }),
    )
    fc.assert(
      fc.property(spotted, currency, ([digits, places], code) => {
        const at = new Set(places.filter(place => place > 0 && place < digits.length))
        const number = [...digits].map((digit, place) => (at.has(place) ? `,${digit}` : digit)).join('')
        const plain = readAmount(`${digits} ${code}`).minor
        const groups = /^\d{1,3}(,\d{3})+$/.test(number) || !number.includes(',')
        const twoReadings = exponentOf(code) === 3 && number.split(',').length === 2
        if (groups && !twoReadings) expect(readAmount(`${number} ${code}`).minor).toBe(plain)
        else refused(`${number} ${code}`)
      }),
    )
  })
})

describe('digits alone', () => {
  test('are minor units, and stay as they are', () => {
    fc.assert(
      fc.property(minor, amount => {
        expect(readAmount(amount)).toEqual({ written: amount, minor: amount })
      }),
    )
  })

  test.each(['0', '000', '0100', '-5', '+5', '1e3', '١٢٣', '１２３', '', ' '])('%j is refused', refused)
})

test.each([
  ...['12.50', '1,234', '1,234.50', '฿100', '$5', '100 baht', '10 USDT', '10 XXX THB', 'THB', '10 THB THB'],
  ...[
    '0 THB',
    '0.00 THB',
    '-1 THB',
    '1e3 THB',
    '1 234 THB',
    '1_234 THB',
    '1.234,50 THB',
    '1,50 THB',
    '1,2345 THB',
  ],
  ...[
    '01 THB',
    '.50 THB',
    '5. THB',
    '1.5 VND',
    '10.123 THB',
    '1,234 KWD',
    "1'234 CHF",
    'THB 10 THB',
    '∞ THB',
  ],
])('%s is refused', refused)

test('an amount with two meanings is refused, with a way to write each', () => {
  expect(() => readAmount('1,234 KWD')).toThrow('write "1234 KWD" or "1.234 KWD"')
  expect(readAmount('1.234 KWD').minor).toBe('1234')
  expect(readAmount('1,234,567 KWD').minor).toBe('1234567000')
})
