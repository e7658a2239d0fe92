import { exponentOf, numericCodeOf } from '../../contract/currencies.ts'
import { UsageError } from '../errors/cli-errors.ts'

/** An amount as somebody wrote it, and as the interface has it. */
export interface Amount {
  readonly written: string
  /** Digits, in the currency's smallest unit. */
  readonly minor: string
  /** Present where it was written with one: then it was converted. */
  readonly currency?: string
}

const DIGITS = /^\d+$/
const CODE_BEHIND = /^(.*?)\s*([A-Za-z]{3,6})$/
const CODE_BEFORE = /^([A-Za-z]{3,6})\s*(.*)$/
/** 1234 or 1,234, then decimals behind a point. A zero begins nothing but 0.50. */
const NUMBER = /^(0|[1-9]\d*|[1-9]\d{0,2}(?:,\d{3})+)(?:\.(\d+))?$/

/**
 * `123450` is minor units, as the interface has them. `1,234.50 THB` is money as people write it, and is converted;
 * whatever could be read in two ways is refused, since what it costs to ask again is less than a wrong payment.
 */
export function readAmount(text: string): Amount {
  const written = text.trim()
  if (DIGITS.test(written)) return { written, minor: wholeMinor(written) }
  const [, before, number = ''] = CODE_BEFORE.exec(written) ?? []
  const [, numberFirst = '', behind] = CODE_BEHIND.exec(written) ?? []
  if (before !== undefined) return convert(written, number, before.toUpperCase())
  if (behind !== undefined) return convert(written, numberFirst, behind.toUpperCase())
  throw new UsageError(
    `${named(written)} is not an amount: minor units are digits alone, as 123450; money has its currency, as "1,234.50 THB"`,
  )
}

function wholeMinor(digits: string): string {
  if (/^0+$/.test(digits)) throw new UsageError('an amount is more than nothing')
  if (digits.startsWith('0')) throw new UsageError(`${named(digits)} begins with a zero: minor units do not`)
  return digits
}

function convert(written: string, number: string, currency: string): Amount {
  if (numericCodeOf(currency) === undefined)
    throw new UsageError(
      `${named(written)} cannot be converted: ISO 4217 has no ${currency}, so nobody knows its decimals; give minor units, as 123450`,
    )
  const [, whole = '', decimals = ''] = NUMBER.exec(number) ?? notANumber(written)
  const exponent = exponentOf(currency)
  refuseTwoReadings({ written, whole, decimals, exponent, currency })
  if (decimals.length > exponent) throw new UsageError(tooManyDecimals(written, currency, exponent))
  const minor = `${whole.replaceAll(',', '')}${decimals.padEnd(exponent, '0')}`.replace(/^0+/, '')
  if (minor === '') throw new UsageError('an amount is more than nothing')
  return { written, minor, currency }
}

function notANumber(written: string): never {
  throw new UsageError(`${named(written)} is not an amount: it is written as "1,234.50 THB" or "1234.50 THB"`)
}

interface Parts {
  readonly written: string
  readonly whole: string
  readonly decimals: string
  readonly exponent: number
  readonly currency: string
}

/** With three decimals, 1,234 is what much of the world writes for 1.234. */
function refuseTwoReadings({ written, whole, decimals, exponent, currency }: Parts): void {
  if (exponent !== 3 || decimals !== '' || whole.split(',').length !== 2) return
  const plain = whole.replace(',', '')
  throw new UsageError(
    `${named(written)} can be read in two ways: write "${plain} ${currency}" or "${whole.replace(',', '.')} ${currency}"`,
  )
}

function tooManyDecimals(written: string, currency: string, exponent: number): string {
  const most = exponent === 0 ? 'none' : `at most ${exponent}`
  return `${named(written)} has too many decimals: ${currency} has ${most}`
}

const named = (written: string) => (written === '' ? 'an empty text' : `"${written}"`)
