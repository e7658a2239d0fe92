import { isLive } from '../../../client/credentials.ts'
import type { MethodsQuery, PaymentMethod, PaymentMethodOptions } from '../../../client/index.ts'
import type { MerchantFlags } from '../../call/merchant-command.ts'
import type { Session } from '../../call/session.ts'
import { UsageError } from '../../errors/cli-errors.ts'
import { type Body, moneyOf, textAt, valueAt, withoutValue, withValue } from '../../fields/body.ts'
import { describeFieldProblems, listed } from '../../fields/field-problems.ts'
import { isPayerField, PAYER_FIELDS, type RequestField } from '../../fields/request-fields.ts'
import { drawRecord } from '../../output/record.ts'
import { openScreen } from '../../output/screen.ts'
import { visible } from '../../output/text.ts'
import { ask } from '../ask.ts'
import { askField, askMethod, banksOf, isSingleField, methodsIn, requiredOf } from './ask-field.ts'
import { askTerms } from './ask-terms.ts'

interface Interview {
  readonly flags: MerchantFlags
  readonly session: Session
}

/** The request with what was missing, seen and confirmed. */
export async function guided(begun: Body, interview: Interview): Promise<Body> {
  return confirmed(await guide(begun, discoveryOf(interview)), interview)
}

/** The request with other answers where the server found these wanting, seen and confirmed. */
export async function mended(
  body: Body,
  wanting: readonly RequestField[],
  interview: Interview,
): Promise<Body> {
  return confirmed(await askAgain(body, wanting, discoveryOf(interview)), interview)
}

const discoveryOf =
  ({ session: { client, signal } }: Interview): Discover =>
  terms =>
    client.methods.list(queryOf(terms), { signal })

const queryOf = (terms: Body): MethodsQuery => ({
  amount: textAt(terms, 'amount') ?? '',
  country: textAt(terms, 'country') ?? '',
  currency: textAt(terms, 'currency') ?? '',
  checkout_mode: textAt(terms, 'checkout_mode'),
})

async function confirmed(body: Body, { flags, session }: Interview): Promise<Body> {
  await showRequest(body, flags)
  // With a live key the question is asked before anything that is sent, and once is enough.
  if (flags.yes || isLive(session.target.keys.publicKey)) return body
  if (await ask.confirm({ message: 'Create it?', default: true })) return body
  throw new UsageError('not confirmed: nothing was done')
}

type Discover = (terms: Body) => Promise<PaymentMethodOptions>

const TERMS = ['amount', 'currency', 'country', 'checkout_mode'] as const

/** Leads to a whole request: the terms, a method that is offered for them, and what its route needs to know. */
async function guide(begun: Body, discover: Discover): Promise<Body> {
  const { body, methods } = await agreeOnTerms(begun, discover)
  const chosen = await askMethod(body, methods)
  const method = methods.find(({ code }) => code === textAt(chosen, 'payment_method'))
  let request = await askPayer(chosen, method)
  request = await askUnlessThere(request, 'merchant_reference')
  return textAt(request, 'checkout_mode') === 'hosted' ? askUnlessThere(request, 'return_url') : request
}

/** Asks once more for what the server found wanting. */
async function askAgain(body: Body, fields: readonly RequestField[], discover: Discover): Promise<Body> {
  const singles = fields.filter(isSingleField)
  const without = fields.reduce<Body>(withoutValue, body)
  // With other terms other methods are offered, and they ask for other things.
  if (singles.length < fields.length) return guide(without, discover)
  const method = singles.includes('payment_method_options.bank') ? await methodOf(body, discover) : undefined
  let request = without
  for (const field of singles) request = await askUnlessThere(request, field, method)
  return request
}

async function methodOf(body: Body, discover: Discover): Promise<PaymentMethod | undefined> {
  const offered = methodsIn(await discover(body))
  return offered.find(({ code }) => code === textAt(body, 'payment_method'))
}

interface Agreed {
  readonly body: Body
  readonly methods: readonly PaymentMethod[]
}

async function agreeOnTerms(begun: Body, discover: Discover): Promise<Agreed> {
  let [given, before]: [Body, Body] = [begun, {}]
  for (;;) {
    const body = await askTerms(given, before)
    const [methods, wanting] = await offeredFor(body, discover)
    if (methods.length > 0) return { body, methods }
    if (wanting.length === 0) tellNoMethod(body)
    given = (wanting.length > 0 ? wanting : TERMS).reduce<Body>(withoutValue, body)
    before = body
  }
}

/** What is offered, or which terms the server found wanting. */
async function offeredFor(
  body: Body,
  discover: Discover,
): Promise<[methods: readonly PaymentMethod[], wanting: readonly RequestField[]]> {
  try {
    return [methodsIn(await discover(body)), []]
  } catch (error) {
    const wanting = describeFieldProblems(error).filter(field => TERMS.some(term => term === field))
    if (wanting.length === 0) throw error
    return [[], wanting]
  }
}

function tellNoMethod(body: Body): void {
  const [country, mode] = [textAt(body, 'country'), textAt(body, 'checkout_mode')]
  process.stderr.write(
    `! No method takes ${moneyOf(body)} in ${country} by ${mode} checkout: other terms may do.\n`,
  )
}

/** The payer is asked for by name first, since that is what people expect. */
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
    if (required.includes(name)) request = await askUnlessThere(request, PAYER_FIELDS[name], method)
  const unknown = required.filter(name => !isPayerField(name))
  if (unknown.length > 0)
    process.stderr.write(`! The route also asks for ${visible(listed(unknown))}, which goes into --data.\n`)
  return request
}

async function askUnlessThere(body: Body, field: RequestField, method?: PaymentMethod): Promise<Body> {
  if (valueAt(body, field) !== undefined || !isSingleField(field)) return body
  const answer = await askField(field, banksOf(method))
  return answer === '' ? body : withValue(body, field, answer)
}

/** What is about to be created, on stderr. */
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
      { label: 'Payer', value: textAt(body, 'customer.name') },
      { label: 'Phone', value: textAt(body, 'customer.phone') },
      { label: 'E-mail', value: textAt(body, 'customer.email') },
      { label: 'Reference', value: textAt(body, 'merchant_reference') },
      { label: 'Return URL', value: textAt(body, 'return_url'), whole: true },
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
