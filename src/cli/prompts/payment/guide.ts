import type { PaymentMethod, PaymentMethodOptions } from '../../../client/index.ts'
import { textAt, valueAt, withoutValue, withValue } from '../../fields/body-paths.ts'
import { describeFieldProblems } from '../../fields/field-problems.ts'
import { listed } from '../../fields/missing-fields.ts'
import { moneyOf } from '../../fields/money-of.ts'
import { type Body, isPayerField, PAYER_FIELDS, type RequestField } from '../../fields/request-fields.ts'
import { visible } from '../../output/visible.ts'
import { askField, isSingleField } from './ask-field.ts'
import { askMethod, banksOf, methodsIn, requiredOf } from './ask-method.ts'
import { askTerms } from './ask-terms.ts'

export type Discover = (terms: Body) => Promise<PaymentMethodOptions>

const TERMS = ['amount', 'currency', 'country', 'checkout_mode'] as const

/** Leads to a whole request: the terms, a method that is offered for them, and what its route needs to know. */
export async function guide(begun: Body, discover: Discover): Promise<Body> {
  const { body, methods } = await agreeOnTerms(begun, discover)
  const chosen = await askMethod(body, methods)
  const method = methods.find(({ code }) => code === textAt(chosen, 'payment_method'))
  let request = await askPayer(chosen, method)
  request = await askUnlessThere(request, 'merchant_reference')
  return textAt(request, 'checkout_mode') === 'hosted' ? askUnlessThere(request, 'return_url') : request
}

/** Asks once more for what the server found wanting. */
export async function askAgain(
  body: Body,
  fields: readonly RequestField[],
  discover: Discover,
): Promise<Body> {
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
