import { randomBytes } from 'node:crypto'
import type { BankChoice, PaymentMethod, PaymentMethodOptions } from '../../../client/index.ts'
import { type Body, isObject, textAt, withValue } from '../../fields/body.ts'
import { type RequestField, TEXT_FIELDS, type TextField } from '../../fields/request-fields.ts'
import { ask, type Check } from '../ask.ts'

/** The usable methods of an answer: a server may send more than this version knows, or less. */
export function methodsIn({ methods }: Partial<PaymentMethodOptions>): PaymentMethod[] {
  return Array.isArray(methods) ? methods.filter(method => typeof method?.code === 'string') : []
}

export function banksOf(method: PaymentMethod | undefined): BankChoice[] {
  const banks: unknown = method?.options?.banks
  return Array.isArray(banks) ? banks.filter(bank => typeof bank?.code === 'string') : []
}

/** The names of the fields that the payer must give, as discovery spells them. */
export function requiredOf(method: PaymentMethod | undefined): string[] {
  const payer: unknown = method?.options?.payer
  if (!isObject(payer)) return []
  return Object.keys(payer).filter(name => isObject(payer[name]) && payer[name].required === true)
}

/** Keeps the method of the body, or asks for one of the available methods. In hosted mode, the payer may choose. */
export async function askMethod(body: Body, methods: readonly PaymentMethod[]): Promise<Body> {
  const named = textAt(body, 'payment_method')
  if (methods.some(({ code }) => code === named)) return body
  if (named !== undefined) process.stderr.write(`The method ${named} is not available for this payment.\n`)
  const code = await ask.select({ message: 'Payment method:', choices: choicesOf(body, methods) })
  if (code !== undefined) return withValue(body, 'payment_method', code)
  const { payment_method: _, ...others } = body
  return others
}

interface MethodChoice {
  readonly name: string
  readonly value: string | undefined
}

const LEFT_TO_PAYER: MethodChoice = { name: 'let the payer choose on the hosted page', value: undefined }

function choicesOf(body: Body, methods: readonly PaymentMethod[]): [MethodChoice, ...MethodChoice[]] {
  const offered = methods.map(({ code, label }) => ({ name: `${label ?? code} (${code})`, value: code }))
  const [first, ...rest] = offered
  if (textAt(body, 'checkout_mode') === 'merchant' && first) return [first, ...rest]
  return [LEFT_TO_PAYER, ...offered]
}

/** The fields that can be asked for one at a time, independent of each other. */
type SingleField = TextField | MethodDetail
type MethodDetail = Extract<RequestField, `payment_method_options.${string}`>

const OF_METHOD: Readonly<Record<MethodDetail, string>> = {
  'payment_method_options.bank': 'Bank:',
  'payment_method_options.account_name': "Name of the payer's account:",
  'payment_method_options.account_number': "Number of the payer's account:",
  'payment_method_options.name_th': "Payer's name in Thai:",
}
const isOfMethod = (field: string): field is MethodDetail => Object.hasOwn(OF_METHOD, field)

const questionOf = (field: SingleField) =>
  isOfMethod(field) ? OF_METHOD[field] : TEXT_FIELDS[field].question

/** Checks only what every server requires. The server checks the format of names and numbers. */
const CHECKS: Partial<Record<SingleField, Check>> = {
  'customer.email': text =>
    /^[^@\s]+@[^@\s]+$/.test(text) ? undefined : 'Enter an e-mail address with one @.',
  return_url: text =>
    text === '' || /^https?:\/\/[^/]/.test(text) ? undefined : 'Enter an http or https URL.',
}

const notEmpty: Check = text => (text === '' ? 'This field is required.' : undefined)

export const isSingleField = (field: RequestField): field is SingleField =>
  isOfMethod(field) || Object.hasOwn(TEXT_FIELDS, field)

/** The answer is empty only for optional fields. */
export async function askField(field: SingleField, banks: readonly BankChoice[]): Promise<string> {
  const [first, ...rest] = banks
  if (field === 'payment_method_options.bank' && first) return askBank([first, ...rest])
  const typed = await ask.text({
    message: questionOf(field),
    check: CHECKS[field] ?? notEmpty,
    ...(field === 'merchant_reference' ? { default: someReference() } : {}),
  })
  return typed.trim()
}

const askBank = ([first, ...rest]: readonly [BankChoice, ...BankChoice[]]) => {
  const choice = ({ code, label }: BankChoice) => ({ name: `${label ?? code} (${code})`, value: code })
  return ask.search({
    message: OF_METHOD['payment_method_options.bank'],
    choices: [choice(first), ...rest.map(choice)],
  })
}

/** A new reference each time: two payments with the same reference are hard to tell apart. */
const someReference = () => `order-${randomBytes(4).toString('hex')}`
