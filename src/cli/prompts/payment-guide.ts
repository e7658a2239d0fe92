import { randomBytes } from 'node:crypto'
import { isLive } from '../../client/credentials.ts'
import type { BankChoice, MethodsQuery, PaymentMethod, PaymentMethodOptions } from '../../client/index.ts'
import { isCountry, numericCodeOf } from '../../contract/currencies.ts'
import { isRecord } from '../../contract/json.ts'
import type { MerchantFlags, Session } from '../call/session.ts'
import { messageOf, UsageError } from '../errors/cli-errors.ts'
import { type Amount, readAmount } from '../fields/amount.ts'
import { type Body, moneyOf, textAt, valueAt, withoutValue, withValue } from '../fields/body.ts'
import { listed, reportRejectedFields } from '../fields/build-request.ts'
import {
  isPayerField,
  PAYER_FIELDS,
  type RequestField,
  TEXT_FIELD_NAMES,
  TEXT_FIELDS,
  type TextField,
} from '../fields/request-fields.ts'
import { formatMoney } from '../output/members.ts'
import { drawRecord } from '../output/record.ts'
import { openScreen } from '../output/screen.ts'
import { visible } from '../output/text.ts'
import { ask, type Check } from './ask.ts'

interface PromptContext {
  readonly flags: MerchantFlags
  readonly session: Session
}

/** Asks for missing fields, shows the request and asks for confirmation. */
export async function askMissing(begun: Body, interview: PromptContext): Promise<Body> {
  return confirmed(await guide(begun, discoveryOf(interview)), interview)
}

/** Asks again for the fields that the server rejected, shows the request and asks for confirmation. */
export async function askRejected(
  body: Body,
  rejected: readonly RequestField[],
  interview: PromptContext,
): Promise<Body> {
  return confirmed(await askAgain(body, rejected, discoveryOf(interview)), interview)
}

const discoveryOf =
  ({ session: { client, signal } }: PromptContext): Discover =>
  terms =>
    client.methods.list(queryOf(terms), { signal })

const queryOf = (terms: Body): MethodsQuery => ({
  amount: textAt(terms, 'amount') ?? '',
  country: textAt(terms, 'country') ?? '',
  currency: textAt(terms, 'currency') ?? '',
  checkout_mode: textAt(terms, 'checkout_mode'),
})

async function confirmed(body: Body, { flags, session }: PromptContext): Promise<Body> {
  await showRequest(body, flags)
  // With a live key, `confirmLive` asks: one question is enough.
  if (flags.yes || isLive(session.target.keys.publicKey)) return body
  if (await ask.confirm({ message: 'Create this payment?', default: true })) return body
  throw new UsageError('not confirmed: nothing was changed')
}

type Discover = (terms: Body) => Promise<PaymentMethodOptions>

const TERMS = ['amount', 'currency', 'country', 'checkout_mode'] as const

/** Completes a request: first the terms, then a method that is available for them, then the fields that its route needs. */
async function guide(begun: Body, discover: Discover): Promise<Body> {
  const { body, methods } = await completeTerms(begun, discover)
  const chosen = await askMethod(body, methods)
  const method = methods.find(({ code }) => code === textAt(chosen, 'payment_method'))
  let request = await askPayer(chosen, method)
  request = await askIfMissing(request, 'merchant_reference')
  return textAt(request, 'checkout_mode') === 'hosted' ? askIfMissing(request, 'return_url') : request
}

/** Asks again for the rejected fields. */
async function askAgain(body: Body, fields: readonly RequestField[], discover: Discover): Promise<Body> {
  const singles = fields.filter(isSingleField)
  const without = fields.reduce<Body>(withoutValue, body)
  // Other terms have other methods, and those need other fields.
  if (singles.length < fields.length) return guide(without, discover)
  const method = singles.includes('payment_method_options.bank') ? await methodOf(body, discover) : undefined
  let request = without
  for (const field of singles) request = await askIfMissing(request, field, method)
  return request
}

async function methodOf(body: Body, discover: Discover): Promise<PaymentMethod | undefined> {
  const offered = methodsIn(await discover(body))
  return offered.find(({ code }) => code === textAt(body, 'payment_method'))
}

interface TermsAndMethods {
  readonly body: Body
  readonly methods: readonly PaymentMethod[]
}

async function completeTerms(begun: Body, discover: Discover): Promise<TermsAndMethods> {
  let [given, before]: [Body, Body] = [begun, {}]
  for (;;) {
    const body = await askTerms(given, before)
    const [methods, rejected] = await methodsFor(body, discover)
    if (methods.length > 0) return { body, methods }
    if (rejected.length === 0) reportNoMethod(body)
    given = (rejected.length > 0 ? rejected : TERMS).reduce<Body>(withoutValue, body)
    before = body
  }
}

/** The available methods, or the terms that the server rejected. */
async function methodsFor(
  body: Body,
  discover: Discover,
): Promise<[methods: readonly PaymentMethod[], rejected: readonly RequestField[]]> {
  try {
    return [methodsIn(await discover(body)), []]
  } catch (error) {
    const rejected = reportRejectedFields(error).filter(field => TERMS.some(term => term === field))
    if (rejected.length === 0) throw error
    return [[], rejected]
  }
}

function reportNoMethod(body: Body): void {
  const [country, mode] = [textAt(body, 'country'), textAt(body, 'checkout_mode')]
  process.stderr.write(
    `! No method is available for ${moneyOf(body)} in ${country} with ${mode} checkout. Try other terms.\n`,
  )
}

/** The payer's name comes first, as people expect. */
const ORDER = [
  'customer_name',
  'customer_phone',
  'bank',
  'account_name',
  'account_number',
  'name_th',
] as const

async function askPayer(body: Body, method: PaymentMethod | undefined): Promise<Body> {
  const required = requiredOf(method)
  let request = body
  for (const name of ORDER)
    if (required.includes(name)) request = await askIfMissing(request, PAYER_FIELDS[name], method)
  const unknown = required.filter(name => !isPayerField(name))
  if (unknown.length > 0)
    process.stderr.write(`! The route also needs ${visible(listed(unknown))}: add it with --data.\n`)
  return request
}

async function askIfMissing(body: Body, field: RequestField, method?: PaymentMethod): Promise<Body> {
  if (valueAt(body, field) !== undefined || !isSingleField(field)) return body
  const answer = await askField(field, banksOf(method))
  return answer === '' ? body : withValue(body, field, answer)
}

/** Shows the payment to create, on stderr. */
async function showRequest(body: Body, flags: { color?: boolean }): Promise<void> {
  const screen = await openScreen(process.stderr, flags)
  const options = ['bank', 'account_name', 'account_number', 'name_th'].map(name => ({
    label: OPTION_LABELS[name] ?? name,
    value: textAt(body, `payment_method_options.${name}`),
  }))
  const record = drawRecord(
    [
      { label: 'Amount', value: moneyOf(body), note: `${textAt(body, 'amount')} in minor units` },
      { label: 'Country', value: textAt(body, 'country') },
      { label: 'Checkout', value: textAt(body, 'checkout_mode') ?? 'hosted' },
      { label: 'Method', value: textAt(body, 'payment_method') ?? 'the payer chooses' },
      ...options,
      ...TEXT_FIELD_NAMES.map(field => ({
        label: TEXT_FIELDS[field].label,
        value: textAt(body, field),
        whole: field === 'return_url',
      })),
    ],
    screen,
  )
  process.stderr.write(`\nThis payment will be created:\n${record}\n\n`)
}

const OPTION_LABELS: Readonly<Record<string, string>> = {
  bank: 'Bank',
  account_name: 'Account name',
  account_number: 'Account number',
  name_th: 'Name in Thai',
}

/** The usable methods of an answer: a server may send more than this version knows, or less. */
function methodsIn({ methods }: Partial<PaymentMethodOptions>): PaymentMethod[] {
  return Array.isArray(methods) ? methods.filter(method => typeof method?.code === 'string') : []
}

function banksOf(method: PaymentMethod | undefined): BankChoice[] {
  const banks: unknown = method?.options?.banks
  return Array.isArray(banks) ? banks.filter(bank => typeof bank?.code === 'string') : []
}

/** The names of the fields that the payer must give, as discovery spells them. */
function requiredOf(method: PaymentMethod | undefined): string[] {
  const payer: unknown = method?.options?.payer
  if (!isRecord(payer)) return []
  return Object.keys(payer).filter(name => isRecord(payer[name]) && payer[name].required === true)
}

/** Keeps the method of the body, or asks for one of the available methods. In hosted mode, the payer may choose. */
async function askMethod(body: Body, methods: readonly PaymentMethod[]): Promise<Body> {
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

const isSingleField = (field: RequestField): field is SingleField =>
  isOfMethod(field) || Object.hasOwn(TEXT_FIELDS, field)

/** The answer is empty only for optional fields. */
async function askField(field: SingleField, banks: readonly BankChoice[]): Promise<string> {
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

/** Asks for the terms that are missing. Earlier answers are suggested. Methods depend on the terms. */
async function askTerms(given: Body, before: Body = {}): Promise<Body> {
  const amount = await askAmount(withoutWrong(given), before)
  const currency = await unlessGiven(amount, 'currency', () => askCurrency(textAt(before, 'currency')))
  const country = await unlessGiven(currency, 'country', () =>
    askCountry(currency, textAt(before, 'country')),
  )
  return unlessGiven(country, 'checkout_mode', askMode)
}

/** What an option or a file has wrong is asked for at once, and not after all the other questions. */
function withoutWrong(given: Body): Body {
  const problems = { amount: amountProblem, currency: currencyProblem, country: countryProblem } as const
  return Object.entries(problems).reduce<Body>((body, [field, problemIn]) => {
    const text = textAt(body, field)
    const problem = text === undefined ? undefined : problemIn(text)
    if (problem === undefined) return body
    process.stderr.write(`! ${visible(problem)}\n`)
    return withoutValue(body, field)
  }, given)
}

async function unlessGiven(body: Body, field: string, asking: () => Promise<string>): Promise<Body> {
  return valueAt(body, field) === undefined ? withValue(body, field, await asking()) : body
}

async function askAmount(given: Body, before: Body): Promise<Body> {
  if (valueAt(given, 'amount') !== undefined) return given
  const currency = textAt(given, 'currency')
  const typed = await ask.text({
    message: `Amount, ${asMoney(currency ?? 'THB')}in minor units:`,
    ...suggestion(textAt(before, 'amount')),
    check: text => problemOf(text, currency),
  })
  const amount = readAmount(typed)
  const named = amount.currency === undefined ? given : withValue(given, 'currency', amount.currency)
  return withValue(named, 'amount', amount.minor)
}

/** An example with the decimals of the currency. An unknown currency has none, because amounts in it are not converted. */
const asMoney = (currency: string) =>
  numericCodeOf(currency) === undefined ? '' : `such as "${formatMoney('123450', currency)}", or `

function problemOf(text: string, currency: string | undefined): string | undefined {
  let amount: Amount
  try {
    amount = readAmount(text)
  } catch (error) {
    return messageOf(error)
  }
  const other = amount.currency !== undefined && currency !== undefined && amount.currency !== currency
  return other ? `The currency is ${currency}.` : undefined
}

async function askCurrency(before: string | undefined): Promise<string> {
  const typed = await ask.text({
    message: 'Currency, such as THB:',
    ...suggestion(before),
    check: text => currencyProblem(text.toUpperCase()),
  })
  return typed.trim().toUpperCase()
}

/** A code of three letters is one of ISO 4217. Longer ones are a server's own. */
function currencyProblem(code: string): string | undefined {
  if (!/^[A-Z]{3,6}$/.test(code)) return 'Enter a currency code of three letters, such as THB.'
  return code.length > 3 || numericCodeOf(code) !== undefined
    ? undefined
    : `${code} is not an ISO 4217 currency code, such as THB or VND.`
}

const amountProblem = (text: string) =>
  /^[1-9]\d*$/.test(text) ? undefined : `${text} is not an amount in minor units, such as 123450.`

const countryProblem = (code: string) =>
  isCountry(code) ? undefined : `${code} is not an ISO 3166-1 country code, such as TH or VN.`

async function askCountry(body: Body, before: string | undefined): Promise<string> {
  const typed = await ask.text({
    message: 'Country, such as TH:',
    ...suggestion(before ?? countryOf(textAt(body, 'currency') ?? '')),
    check: text => (text === '' ? notEmpty(text) : countryProblem(text.toUpperCase())),
  })
  return typed.trim().toUpperCase()
}

/** The code of a currency begins with the code of its country, unless several countries use it. */
function countryOf(currency: string): string | undefined {
  const country = currency.slice(0, 2)
  return numericCodeOf(currency) !== undefined && isCountry(country) ? country : undefined
}

const askMode = () =>
  ask.select({
    message: 'Checkout:',
    choices: [
      { name: 'hosted', value: 'hosted', description: 'the payer pays on a page of the gateway' },
      {
        name: 'merchant',
        value: 'merchant',
        description: 'your application shows the payer the next action',
      },
    ],
  })

const suggestion = (value: string | undefined) => (value === undefined ? {} : { default: value })
