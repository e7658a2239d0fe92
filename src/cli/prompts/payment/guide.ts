import { isLive } from '../../../client/credentials.ts'
import type { MethodsQuery, PaymentMethod, PaymentMethodOptions } from '../../../client/index.ts'
import type { MerchantFlags } from '../../call/merchant-command.ts'
import type { Session } from '../../call/session.ts'
import { UsageError } from '../../errors/cli-errors.ts'
import { type Body, moneyOf, textAt, valueAt, withoutValue, withValue } from '../../fields/body.ts'
import { listed, reportRejectedFields } from '../../fields/field-problems.ts'
import {
  isPayerField,
  PAYER_FIELDS,
  type RequestField,
  TEXT_FIELD_NAMES,
  TEXT_FIELDS,
} from '../../fields/request-fields.ts'
import { drawRecord } from '../../output/record.ts'
import { openScreen } from '../../output/screen.ts'
import { visible } from '../../output/text.ts'
import { ask } from '../ask.ts'
import { askField, askMethod, banksOf, isSingleField, methodsIn, requiredOf } from './ask-field.ts'
import { askTerms } from './ask-terms.ts'

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
