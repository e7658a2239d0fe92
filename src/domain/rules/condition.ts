import type { RuleCondition } from '../../contract/control/rules.ts'
import { compareAmounts } from '../catalogue.ts'
import type { Customer, Payment, Payout } from '../model.ts'

/** The facts about an intent that a rule can match. What a caller asks for may lack any of them. */
export interface Facts {
  readonly kind: 'payment' | 'payout'
  readonly environment: string
  readonly amount?: string
  readonly currency?: string
  readonly country?: string
  readonly merchantReference?: string | null
  readonly method?: string
  readonly provider?: string
  readonly checkoutMode?: string
  readonly customer?: Customer
  readonly recipient?: { readonly bankCode: string; readonly holderName: string }
}

type PaymentDraft = Pick<
  Payment,
  'amount' | 'currency' | 'country' | 'checkoutMode' | 'merchantReference' | 'customer'
>

export function paymentFacts(
  { amount, currency, country, checkoutMode, merchantReference, customer }: PaymentDraft,
  route: { readonly method: string; readonly provider: string } | null,
  environment: string,
): Facts {
  return {
    kind: 'payment',
    environment,
    amount,
    currency,
    country,
    checkoutMode,
    merchantReference,
    customer,
    ...(route && { method: route.method, provider: route.provider }),
  }
}

type PayoutDraft = Pick<Payout, 'amount' | 'currency' | 'country' | 'merchantReference'> & {
  readonly recipient: Pick<Payout['recipient'], 'bankCode' | 'holderName'>
}

export function payoutFacts(payout: PayoutDraft, environment: string): Facts {
  const { amount, currency, country, merchantReference, recipient } = payout
  return { kind: 'payout', environment, amount, currency, country, merchantReference, recipient }
}

/** What a request asks for that may not be valid: a fact that it does not give as a text is left out. */
export function requestedFacts(body: Readonly<Record<string, unknown>>, environment: string): Facts {
  const text = <K extends string>(name: K, value: unknown) =>
    (typeof value === 'string' ? { [name]: value } : {}) as { readonly [N in K]?: string }
  const { name, phone, email } = (body.customer ?? {}) as Readonly<Record<string, unknown>>
  return {
    kind: 'payment',
    environment,
    ...text('amount', body.amount),
    ...text('currency', body.currency),
    ...text('country', body.country),
    ...text('merchantReference', body.merchant_reference),
    ...text('method', body.payment_method),
    ...text('checkoutMode', body.checkout_mode ?? 'hosted'),
    customer: { ...text('name', name), ...text('phone', phone), ...text('email', email) },
  }
}

export type Test = (facts: Facts) => boolean

/** All given conditions must be true; conditions that are left out are true. */
export function compileCondition(condition: RuleCondition): Test {
  const { kind, environment, checkout_mode: mode, customer, recipient } = condition
  const tests: Test[] = []
  if (kind) tests.push(facts => facts.kind === kind)
  if (environment) tests.push(facts => facts.environment === environment)
  if (mode) tests.push(facts => facts.checkoutMode === mode)
  const texts: [string | readonly string[] | undefined, (facts: Facts) => string | null | undefined][] = [
    [condition.method, facts => facts.method],
    [condition.provider, facts => facts.provider],
    [condition.currency, facts => facts.currency],
    [condition.country, facts => facts.country],
    [condition.merchant_reference, facts => facts.merchantReference],
    [customer?.name, facts => facts.customer?.name],
    [customer?.phone, facts => facts.customer?.phone],
    [customer?.email, facts => facts.customer?.email],
    [recipient?.bank_code, facts => facts.recipient?.bankCode],
    [recipient?.holder_name, facts => facts.recipient?.holderName],
  ]
  for (const [pattern, read] of texts) if (pattern !== undefined) tests.push(textTest(pattern, read))
  if (condition.amount !== undefined) tests.push(amountTest(condition.amount))
  return facts => tests.every(test => test(facts))
}

function textTest(
  pattern: string | readonly string[],
  read: (facts: Facts) => string | null | undefined,
): Test {
  const globs = [pattern].flat().map(compileGlob)
  return facts => {
    const text = read(facts)
    return typeof text === 'string' && globs.some(matches => matches(text))
  }
}

function amountTest(wanted: NonNullable<RuleCondition['amount']>): Test {
  if (typeof wanted === 'string') return ({ amount }) => amount === wanted
  const { eq, gt, gte, lt, lte } = wanted
  return ({ amount }) =>
    amount !== undefined &&
    (eq === undefined || amount === eq) &&
    (gt === undefined || compareAmounts(amount, gt) > 0) &&
    (gte === undefined || compareAmounts(amount, gte) >= 0) &&
    (lt === undefined || compareAmounts(amount, lt) < 0) &&
    (lte === undefined || compareAmounts(amount, lte) <= 0)
}

/**
 * Whether a text matches a glob. The text before the first wildcard and the one after the last are compared first, because
 * that rules most texts out, and a create compares a reference with many globs.
 */
function compileGlob(glob: string): (text: string) => boolean {
  const [start = '', ...rest] = glob.split(WILDCARD)
  const end = rest.at(-1)
  if (end === undefined) return text => text === glob
  const characters = [...glob]
  return text => text.startsWith(start) && text.endsWith(end) && matchesGlob(characters, [...text])
}

const WILDCARD = /[*?]/

/**
 * Whether a text matches a glob: `*` is any text, `?` is one character. Only the last star is tried again, so the
 * time is at most the product of the two lengths, however many stars the glob has.
 */
function matchesGlob(glob: readonly string[], text: readonly string[]): boolean {
  let [g, t] = [0, 0]
  let star: { g: number; t: number } | undefined
  while (t < text.length) {
    if (glob[g] === '*') star = { g: g++, t }
    else if (glob[g] === '?' || glob[g] === text[t]) {
      g++
      t++
    } else if (star) {
      star.t++
      g = star.g + 1
      t = star.t
    } else return false
  }
  while (glob[g] === '*') g++
  return g === glob.length
}
