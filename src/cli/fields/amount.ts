import { exponentOf, numericCodeOf } from '../../contract/currencies.ts'
import { UsageError } from '../errors/cli-errors.ts'

/** An amount as typed, and as the API takes it. */
export interface Amount {
  readonly written: string
  /** Digits, in the currency's smallest unit. */
  readonly minor: string
  /** The currency that was typed with the amount, which is then converted. */
  readonly currency?: string
}

const DIGITS = /^\d+$/
const CODE_BEHIND = /^(.*?)\s*([A-Za-z]{3,6})$/
const CODE_BEFORE = /^([A-Za-z]{3,6})\s*(.*)$/
/** 1234 or 1,234, then perhaps a point and decimals. Only amounts such as 0.50 begin with a zero. */
const NUMBER = /^(0|[1-9]\d*|[1-9]\d{0,2}(?:,\d{3})+)(?:\.(\d+))?$/

/**
 * `123450` is in minor units, like in the API. `1,234.50 THB` is converted. An ambiguous amount is refused, because a
 * wrong payment costs more than another question.
 */
export function readAmount(text: string): Amount {
  const written = text.trim()
  if (DIGITS.test(written)) return { written, minor: wholeMinor(written) }
  const [, before, number = ''] = CODE_BEFORE.exec(written) ?? []
  const [, numberFirst = '', behind] = CODE_BEHIND.exec(written) ?? []
  if (before !== undefined) return convert(written, number, before.toUpperCase())
  if (behind !== undefined) return convert(written, numberFirst, behind.toUpperCase())
  throw new UsageError(
    `${named(written)} is not an amount: write minor units as digits only, such as 123450, or money with its currency, such as "1,234.50 THB"`,
  )
}

function wholeMinor(digits: string): string {
  if (/^0+$/.test(digits)) throw new UsageError('an amount must be more than zero')
  if (digits.startsWith('0'))
    throw new UsageError(`${named(digits)} begins with a zero: write minor units without leading zeros`)
  return digits
}

function convert(written: string, number: string, currency: string): Amount {
  if (numericCodeOf(currency) === undefined)
    throw new UsageError(
      `cannot convert ${named(written)}: ${currency} is not in ISO 4217, so its decimals are unknown; give minor units, such as 123450`,
    )
  const [, whole = '', decimals = ''] = NUMBER.exec(number) ?? notANumber(written)
  const exponent = exponentOf(currency)
  refuseTwoReadings({ written, whole, decimals, exponent, currency })
  if (decimals.length > exponent) throw new UsageError(tooManyDecimals(written, currency, exponent))
  const minor = `${whole.replaceAll(',', '')}${decimals.padEnd(exponent, '0')}`.replace(/^0+/, '')
  if (minor === '') throw new UsageError('an amount must be more than zero')
  return { written, minor, currency }
}

function notANumber(written: string): never {
  throw new UsageError(`${named(written)} is not an amount: write it like "1,234.50 THB" or "1234.50 THB"`)
}

interface Parts {
  readonly written: string
  readonly whole: string
  readonly decimals: string
  readonly exponent: number
  readonly currency: string
}

/** In a currency with three decimals, 1,234 may also mean 1.234, because many countries write a decimal comma. */
function refuseTwoReadings({ written, whole, decimals, exponent, currency }: Parts): void {
  if (exponent !== 3 || decimals !== '' || whole.split(',').length !== 2) return
  const plain = whole.replace(',', '')
  throw new UsageError(
    `${named(written)} is ambiguous: write "${plain} ${currency}" or "${whole.replace(',', '.')} ${currency}"`,
  )
}

function tooManyDecimals(written: string, currency: string, exponent: number): string {
  const most = exponent === 0 ? 'none' : `at most ${exponent}`
  return `${named(written)} has too many decimals: ${currency} has ${most}`
}

const named = (written: string) => (written === '' ? 'an empty text' : `"${written}"`)
