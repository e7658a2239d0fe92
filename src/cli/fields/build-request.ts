import { closest } from '../../contract/closest.ts'
import { UsageError } from '../errors/cli-errors.ts'
import { type Body, isObject, merge, pathsOf, valueAt, withValue } from './body.ts'
import { type FieldFlags, type TermFlags, textsIn } from './field-flags.ts'
import { readData } from './read-data.ts'
import { FIELD_NAMES, isPayerField, isRequestField, OPTION_NAMES, PAYER_FIELDS } from './request-fields.ts'

interface BuiltRequest {
  readonly body: Body
  /** What the caller should know, although it is not an error. */
  readonly notes: readonly string[]
}

/** Combines options and data. Options override JSON on the command line, which overrides files, which override stdin. */
export async function buildRequest(flags: FieldFlags): Promise<BuiltRequest> {
  const { body: terms, notes } = termsOf(flags)
  const data = await readData(flags.data ?? [])
  refuseOtherCurrency(flags, data)
  const merged = (flags.set ?? []).reduce(setValue, merge(data, merge(terms, membersOf(flags))))
  return {
    // Every request must have it, even if nothing is known about the payer.
    body: { ...merged, customer: merged.customer ?? {} },
    notes: [...notes, ...nearMisses(merged)],
  }
}

/** Amount, currency, country and mode, which discovery takes too. */
export function termsOf({ amount, currency, country, checkoutMode }: TermFlags): BuiltRequest {
  if (amount?.currency !== undefined && currency !== undefined && currency !== amount.currency)
    throw new UsageError(`--amount "${amount.written}" and --currency ${currency} contradict each other`)
  return {
    body: given({
      amount: amount?.minor,
      currency: currency ?? amount?.currency,
      country,
      checkout_mode: checkoutMode,
    }),
    notes:
      amount?.currency === undefined ? [] : [`sending ${amount.written} as ${amount.minor} in minor units`],
  }
}

const membersOf = (flags: FieldFlags): Body => ({
  ...given({ payment_method: flags.paymentMethod, payment_method_options: flags.option }),
  ...textsIn(flags),
})

const given = (members: Body): Body =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined))

/** Refuses an amount in baht for data in dong: one of the two must be a mistake. */
function refuseOtherCurrency({ amount, currency }: FieldFlags, data: Body): void {
  const other = valueAt(data, 'currency')
  if (amount?.currency === undefined || currency !== undefined || typeof other !== 'string') return
  if (other !== amount.currency)
    throw new UsageError(
      `--amount "${amount.written}" and the currency ${other} in --data contradict each other`,
    )
}

/**
 * Applies `--set path=value`. The path must exist in the data or be a field of the API. Anything else is probably a typing
 * error, and ignoring it would send a different payment than intended.
 */
function setValue(body: Body, assignment: string): Body {
  const at = assignment.indexOf('=')
  if (at < 1)
    throw new UsageError(`--set ${assignment} is invalid: write path=value, such as customer.name=Somchai`)
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
  const hint = meant === undefined ? 'add new fields with --data' : `did you mean ${meant}?`
  return `--set ${path} matches no field of the API or of --data: ${hint}`
}

/** A value that was not text must stay JSON. */
function asJson(path: string, written: string): unknown {
  try {
    return JSON.parse(written)
  } catch {
    throw new UsageError(
      `--set ${path}=${written} is not JSON, and the value in --data is not text: write the new value as JSON`,
    )
  }
}

const TOP = [...new Set(FIELD_NAMES.map(name => name.split('.')[0] ?? name))]
const CUSTOMER = FIELD_NAMES.flatMap(name =>
  name.startsWith('customer.') ? name.slice('customer.'.length) : [],
)

/**
 * Unknown fields that look like typing errors. They are sent anyway, because a server may know more fields than this
 * version, but a server that ignores unknown fields would not report them.
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
      // The most likely mistake is the name that discovery uses for the field.
      const meant = isPayerField(name) ? PAYER_FIELDS[name] : near && `${before}${near}`
      return meant === undefined ? [] : [`sending the unknown field ${before}${name}; did you mean ${meant}?`]
    })
}
