import { closest } from '../../contract/closest.ts'
import { UsageError } from '../errors/cli-errors.ts'
import { type Body, isObject, merge, pathsOf, valueAt, withValue } from './body.ts'
import type { FieldFlags, TermFlags } from './field-flags.ts'
import { readData } from './read-data.ts'
import { FIELD_NAMES, isPayerField, isRequestField, OPTION_NAMES, PAYER_FIELDS } from './request-fields.ts'

interface BuiltRequest {
  readonly body: Body
  /** What the caller should know of it, though it is no fault. */
  readonly notes: readonly string[]
}

/** The request that flags and data make together: flags, then JSON as it stands, then files, then stdin. */
export async function buildRequest(flags: FieldFlags): Promise<BuiltRequest> {
  const { body: terms, notes } = termsOf(flags)
  const data = await readData(flags.data ?? [])
  refuseOtherCurrency(flags, data)
  const merged = (flags.set ?? []).reduce(setValue, merge(data, merge(terms, membersOf(flags))))
  return {
    // Required of every request, also where nothing is known of the payer.
    body: { ...merged, customer: merged.customer ?? {} },
    notes: [...notes, ...nearMisses(merged)],
  }
}

/** Amount, currency, country and mode, as discovery takes them too. */
export function termsOf({ amount, currency, country, checkoutMode }: TermFlags): BuiltRequest {
  if (amount?.currency !== undefined && currency !== undefined && currency !== amount.currency)
    throw new UsageError(`--amount "${amount.written}" and --currency ${currency} disagree`)
  return {
    body: given({
      amount: amount?.minor,
      currency: currency ?? amount?.currency,
      country,
      checkout_mode: checkoutMode,
    }),
    notes:
      amount?.currency === undefined ? [] : [`${amount.written} is sent as ${amount.minor}, in minor units`],
  }
}

function membersOf(flags: FieldFlags): Body {
  const customer = given({ name: flags.customerName, phone: flags.customerPhone, email: flags.customerEmail })
  return given({
    payment_method: flags.paymentMethod,
    payment_method_options: flags.option,
    merchant_reference: flags.merchantReference,
    return_url: flags.returnUrl,
    customer: Object.keys(customer).length === 0 ? undefined : customer,
  })
}

const given = (members: Body): Body =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))

/** An amount in baht over data in dong is no override: one of the two was not looked at. */
function refuseOtherCurrency({ amount, currency }: FieldFlags, data: Body): void {
  const other = valueAt(data, 'currency')
  if (amount?.currency === undefined || currency !== undefined || typeof other !== 'string') return
  if (other !== amount.currency)
    throw new UsageError(`--amount "${amount.written}" and the currency in --data, ${other}, disagree`)
}

/**
 * `--set path=value`. It changes what is there, or gives a field of the interface; where it would do neither it is a
 * slip of the pen, and saying nothing of that would send another payment than the one that was meant.
 */
function setValue(body: Body, assignment: string): Body {
  const at = assignment.indexOf('=')
  if (at < 1) throw new UsageError(`--set ${assignment}: it is written path=value, as customer.name=Somchai`)
  const [path, written] = [assignment.slice(0, at), assignment.slice(at + 1)]
  const before = valueAt(body, path)
  if (before === undefined && !isRequestField(path)) throw new UsageError(matchesNothing(body, path))
  return withValue(
    body,
    path,
    isRequestField(path) || typeof before === 'string' ? written : asJson(path, written),
  )
}

function matchesNothing(body: Body, path: string): string {
  const meant = closest(path, [...FIELD_NAMES, ...pathsOf(body)])
  const hint = meant === undefined ? 'what is new goes into --data' : `did you mean ${meant}?`
  return `--set ${path} matches nothing: neither the interface nor --data has it; ${hint}`
}

/** What was no text stays none. */
function asJson(path: string, written: string): unknown {
  try {
    return JSON.parse(written)
  } catch {
    throw new UsageError(`--set ${path}=${written}: --data has no text there, so JSON is wanted`)
  }
}

const TOP = [...new Set(FIELD_NAMES.map(name => name.split('.')[0] ?? name))]
const CUSTOMER = ['name', 'phone', 'email']

/**
 * Members that look like slips of the pen. They go out all the same, since a server may know more than this version;
 * but one that ignores what it does not know would not say a word.
 */
function nearMisses(body: Body): string[] {
  const options = body.payment_method_options
  return [
    ...missesIn(body, '', TOP),
    ...(isObject(body.customer) ? missesIn(body.customer, 'customer.', CUSTOMER) : []),
    ...(isObject(options) ? missesIn(options, 'payment_method_options.', OPTION_NAMES) : []),
  ]
}

function missesIn(part: Body, before: string, known: readonly string[]): string[] {
  return Object.keys(part)
    .filter(name => !known.includes(name))
    .flatMap(name => {
      const near = closest(name, known)
      // What discovery calls a field is the likeliest slip of all.
      const meant = isPayerField(name) ? PAYER_FIELDS[name] : near && `${before}${near}`
      return meant === undefined ? [] : [`${before}${name} is sent as it is; did you mean ${meant}?`]
    })
}
