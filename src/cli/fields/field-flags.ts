import { type Command, InvalidArgumentError, Option } from 'commander'
import { UsageError } from '../errors/cli-errors.ts'
import { choice, didYouMean } from '../flag-values.ts'
import { type Amount, readAmount } from './amount.ts'
import { type Body, withValue } from './body.ts'
import {
  isPayerField,
  OPTION_NAMES,
  PAYER_FIELDS,
  REQUEST_FIELDS,
  TEXT_FIELD_NAMES,
  TEXT_FIELDS,
  type TextField,
} from './request-fields.ts'

/** The terms of a payment. Methods depend on them. */
export interface TermFlags {
  readonly amount?: Amount
  readonly currency?: string
  readonly country?: string
  readonly checkoutMode?: string
}

export interface FieldFlags extends TermFlags {
  readonly paymentMethod?: string
  readonly option?: Readonly<Record<string, string>>
  readonly data?: readonly string[]
  readonly set?: readonly string[]
}

const MODES = ['hosted', 'merchant'] as const

export function termFlags(command: Command): Command {
  return command
    .option(
      '--amount <amount>',
      'amount in minor units, such as 123450, or as money, such as "1,234.50 THB"',
      amount,
    )
    .option('--currency <code>', 'currency, such as THB; not needed if the amount has one', currencyCode)
    .option('--country <code>', 'country of the payment, such as TH', countryCode)
    .addOption(
      new Option(
        '--checkout-mode <mode>',
        'where the payer pays: on a hosted page or in your application (default: hosted)',
      )
        .choices(MODES)
        .argParser(choice(MODES)),
    )
}

export function fieldFlags(command: Command): Command {
  const withMethod = termFlags(command)
    .option(
      '--payment-method <code>',
      'payment method, as listed by `methods list`; required in merchant mode',
    )
    .option(
      '--option <name=value>',
      `option of the payment method: ${OPTION_NAMES.join(', ')} (repeatable)`,
      option,
    )
  for (const field of TEXT_FIELD_NAMES) withMethod.addOption(textOption(field))
  return withMethod
    .option(
      '--data <json>',
      'fields as JSON, as @file or file (JSON or YAML), or - for stdin; other options override them',
      again,
    )
    .option('--set <path=value>', 'change one field of the data, such as customer.name=Somchai', again)
}

const textOption = (field: TextField) =>
  new Option(`${REQUEST_FIELDS[field]} ${TEXT_FIELDS[field].value}`, TEXT_FIELDS[field].help)

/** The fields that were given as one text each. */
export function textsIn(flags: FieldFlags): Body {
  const given = Object.entries(flags)
  return TEXT_FIELD_NAMES.reduce<Body>((body, field) => {
    const text = given.find(([name]) => name === textOption(field).attributeName())?.[1]
    return text === undefined ? body : withValue(body, field, text)
  }, {})
}

/** For an option that may be repeated or left out. */
export const again = (value: string, values: readonly string[] = []) => [...values, value]

function amount(text: string): Amount {
  try {
    return readAmount(text)
  } catch (error) {
    throw error instanceof UsageError ? new InvalidArgumentError(error.message) : error
  }
}

/** Codes may be typed in lower case. */
const code = (pattern: RegExp, what: string) => (text: string) => {
  const capitals = text.toUpperCase()
  if (pattern.test(capitals)) return capitals
  throw new InvalidArgumentError(`It must be ${what}.`)
}

export const currencyCode = code(/^[A-Z]{3,6}$/, 'three to six letters, such as THB')
export const countryCode = code(/^[A-Z]{2}$/, 'two letters, such as TH')

function option(written: string, given: Readonly<Record<string, string>> = {}): Record<string, string> {
  const at = written.indexOf('=')
  const name = at < 0 ? written : written.slice(0, at)
  if (!OPTION_NAMES.some(known => known === name)) throw new InvalidArgumentError(noOption(name))
  if (at < 0) throw new InvalidArgumentError(`Write name=value, such as ${name}=…`)
  return { ...given, [name]: written.slice(at + 1) }
}

function noOption(name: string): string {
  if (isPayerField(name))
    return `${name} is not an option of the method: use ${REQUEST_FIELDS[PAYER_FIELDS[name]]}.`
  return `${didYouMean(name, OPTION_NAMES)}The options are ${OPTION_NAMES.join(', ')}.`
}
