import { type Command, InvalidArgumentError, Option } from 'commander'
import { UsageError } from '../errors/cli-errors.ts'
import { choice, didYouMean } from '../flag-values.ts'
import { type Amount, readAmount } from './amount.ts'
import { isPayerField, OPTION_NAMES, PAYER_FIELDS, REQUEST_FIELDS } from './request-fields.ts'

/** The terms that methods are discovered for and payments made on. */
export interface TermFlags {
  readonly amount?: Amount
  readonly currency?: string
  readonly country?: string
  readonly checkoutMode?: string
}

export interface FieldFlags extends TermFlags {
  readonly paymentMethod?: string
  readonly option?: Readonly<Record<string, string>>
  readonly customerName?: string
  readonly customerPhone?: string
  readonly customerEmail?: string
  readonly merchantReference?: string
  readonly returnUrl?: string
  readonly data?: readonly string[]
  readonly set?: readonly string[]
}

const MODES = ['hosted', 'merchant'] as const

export function termFlags(command: Command): Command {
  return command
    .option('--amount <amount>', 'minor units, as 123450; or money, as "1,234.50 THB"', amount)
    .option('--currency <code>', 'as THB; not needed where the amount names it', currencyCode)
    .option('--country <code>', 'ISO 3166-1 alpha-2, as TH', countryCode)
    .addOption(
      new Option('--checkout-mode <mode>', 'where the payer is: hosted, unless given')
        .choices(MODES)
        .argParser(choice(MODES)),
    )
}

export function fieldFlags(command: Command): Command {
  return termFlags(command)
    .option('--payment-method <code>', 'as `methods list` has it; merchant mode needs one')
    .option('--option <name=value>', `of the method: ${OPTION_NAMES.join(', ')}; repeatable`, option)
    .option('--customer-name <name>', 'the payer')
    .option('--customer-phone <number>', 'of the payer, as +66812345678')
    .option('--customer-email <address>', 'of the payer')
    .option('--merchant-reference <text>', 'yours')
    .option('--return-url <url>', 'where the hosted page sends the payer at the end; hosted mode only')
    .option('--data <json>', 'fields as JSON, @file or file (JSON or YAML), or - for stdin; flags win', again)
    .option('--set <path=value>', 'change one member of the data, as customer.name=Somchai', again)
}

/** For a flag that may be given again and again, and need not be given. */
export const again = (value: string, values: readonly string[] = []) => [...values, value]

function amount(text: string): Amount {
  try {
    return readAmount(text)
  } catch (error) {
    throw error instanceof UsageError ? new InvalidArgumentError(error.message) : error
  }
}

/** Codes are capitals; who writes them small means the same. */
const code = (pattern: RegExp, what: string) => (text: string) => {
  const capitals = text.toUpperCase()
  if (pattern.test(capitals)) return capitals
  throw new InvalidArgumentError(`it must be ${what}`)
}

export const currencyCode = code(/^[A-Z]{3,6}$/, 'three to six letters, such as THB')
export const countryCode = code(/^[A-Z]{2}$/, 'two letters, such as TH')

function option(written: string, given: Readonly<Record<string, string>> = {}): Record<string, string> {
  const at = written.indexOf('=')
  const name = at < 0 ? written : written.slice(0, at)
  if (!OPTION_NAMES.some(known => known === name)) throw new InvalidArgumentError(noOption(name))
  if (at < 0) throw new InvalidArgumentError(`it is written name=value, as ${name}=…`)
  return { ...given, [name]: written.slice(at + 1) }
}

function noOption(name: string): string {
  if (isPayerField(name)) return `${name} is no option: ${REQUEST_FIELDS[PAYER_FIELDS[name]]} gives it`
  return `${didYouMean(name, OPTION_NAMES)}The options are ${OPTION_NAMES.join(', ')}.`
}
