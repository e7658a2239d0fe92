import { randomUUID } from 'node:crypto'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { CreatePaymentRequest } from '../../contract/requests.ts'
import { UsageError } from '../errors/cli-errors.ts'
import { again, choice, didYouMean } from '../flag-values.ts'
import { optionFor } from '../values.ts'
import { type Amount, readAmount } from './amount.ts'
import { type Body, withValue } from './body.ts'

type PathsOf<T> = {
  [M in keyof T & string]-?: NonNullable<T[M]> extends object ? `${M}.${keyof NonNullable<T[M]> & string}` : M
}[keyof T & string]

/** The fields of a request that creates a payment, and the option for each. */
export const REQUEST_FIELDS = {
  amount: '--amount',
  currency: '--currency',
  country: '--country',
  checkout_mode: '--checkout-mode',
  payment_method: '--payment-method',
  'payment_method_options.bank': '--option bank=…',
  'payment_method_options.account_name': '--option account_name=…',
  'payment_method_options.account_number': '--option account_number=…',
  'payment_method_options.name_th': '--option name_th=…',
  'customer.name': '--customer-name',
  'customer.phone': '--customer-phone',
  'customer.email': '--customer-email',
  merchant_reference: '--merchant-reference',
  return_url: '--return-url',
} as const satisfies { readonly [F in PathsOf<CreatePaymentRequest>]: string }

interface TextOption {
  readonly value: string
  readonly help: string
  /** What the command asks for on a terminal. */
  readonly question: string
  /** Its name where the payment is shown before it is created. */
  readonly label: string
}

/** The fields that are one text, which their option takes as it is. */
export const TEXT_FIELDS = {
  'customer.name': {
    value: '<name>',
    help: "the payer's name",
    question: "Payer's name:",
    label: 'Payer',
  },
  'customer.phone': {
    value: '<number>',
    help: "the payer's phone number, such as +66812345678",
    question: "Payer's phone number:",
    label: 'Phone',
  },
  'customer.email': {
    value: '<address>',
    help: "the payer's e-mail address",
    question: "Payer's e-mail address:",
    label: 'E-mail',
  },
  merchant_reference: {
    value: '<text>',
    help: 'your reference for the payment',
    question: 'Your reference:',
    label: 'Reference',
  },
  return_url: {
    value: '<url>',
    help: 'where the hosted page sends the payer at the end',
    question: 'Return URL for the payer (http or https; leave empty for none):',
    label: 'Return URL',
  },
} as const satisfies { readonly [F in Exclude<RequestField, keyof OtherFields>]: TextOption }

/** Terms and method have options of their own kinds, and `--option` has a part for each detail of the method. */
type OtherFields = {
  [F in RequestField as F extends
    | `payment_method${string}`
    | 'amount'
    | 'currency'
    | 'country'
    | 'checkout_mode'
    ? F
    : never]: true
}

export type TextField = keyof typeof TEXT_FIELDS
export const TEXT_FIELD_NAMES = Object.keys(TEXT_FIELDS) as readonly TextField[]

export type RequestField = keyof typeof REQUEST_FIELDS

export const FIELD_NAMES = Object.keys(REQUEST_FIELDS) as readonly RequestField[]

export const isRequestField = (name: string): name is RequestField => Object.hasOwn(REQUEST_FIELDS, name)

/** The fields of `payment_method_options`. The list is closed: any other name is a mistake. */
export const OPTION_NAMES = ['bank', 'account_name', 'account_number', 'name_th'] as const

/** What discovery calls each detail of the payer, and the field of the request for it: the names differ. */
export const PAYER_FIELDS = {
  bank: 'payment_method_options.bank',
  account_name: 'payment_method_options.account_name',
  account_number: 'payment_method_options.account_number',
  name_th: 'payment_method_options.name_th',
  customer_name: 'customer.name',
  customer_phone: 'customer.phone',
} as const satisfies Readonly<Record<string, RequestField>>

export const isPayerField = (name: string): name is keyof typeof PAYER_FIELDS =>
  Object.hasOwn(PAYER_FIELDS, name)

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

export const amountOption = () =>
  new Option(
    '--amount <amount>',
    'in minor units, such as 123450, or money, such as "1,234.50 THB"',
  ).argParser(moneyAmount)

export function termFlags(command: Command): Command {
  return command
    .addOption(amountOption())
    .option('--currency <code>', 'currency, such as THB; not needed if the amount has one', currencyCode)
    .option('--country <code>', 'country of the payment, such as TH', countryCode)
    .addOption(
      new Option('--checkout-mode <mode>', 'where the payer pays; default: hosted')
        .choices(MODES)
        .argParser(choice(MODES)),
    )
}

export function fieldFlags(command: Command): Command {
  const withMethod = termFlags(command)
    .addOption(
      optionFor('--payment-method <code>', 'as listed by `methods list`; required in merchant mode', {
        known: 'methods',
      }),
    )
    .option('--option <name=value>', `detail of the method: ${OPTION_NAMES.join(', ')}`, option)
  for (const field of TEXT_FIELD_NAMES) withMethod.addOption(textOption(field))
  return withMethod
    .addOption(dataOption())
    .option('--set <path=value>', 'change one field of the data, such as customer.name=Somchai', again)
}

/** `--data` of commands that make records, one or many. */
export const dataOption = () =>
  optionFor('--data <json>', 'fields as JSON, a file, or - for stdin; a .csv or .jsonl is a list', {
    body: true,
  }).argParser(again)

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

/** An amount in minor units, or money. */
function moneyAmount(text: string): Amount {
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

export interface KeyFlags {
  /** False if no key is to be sent. */
  readonly idempotencyKey?: string | false
  readonly dryRun?: true
}

/** `--idempotency-key`, and its opposite for calls that can do without a key. */
export function keyFlags(command: Command): Command {
  return command
    .option('--idempotency-key <key>', 'acts only once per key (default: a new key, printed to stderr)')
    .option('--no-idempotency-key', 'send no key, and repeat no call that may have arrived')
}

/** The key of a call. A new key is printed before the call, so that it can be used again if the call fails. */
export function keyFor({ idempotencyKey, dryRun }: KeyFlags): string | undefined {
  if (idempotencyKey === false) return undefined
  if (idempotencyKey !== undefined) return idempotencyKey
  const key = randomUUID()
  if (!dryRun) process.stderr.write(`idempotency key ${key}\n`)
  return key
}
