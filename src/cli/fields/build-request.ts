import { text } from 'node:stream/consumers'
import { ApiError } from '../../client/index.ts'
import { closest } from '../../contract/closest.ts'
import { isRecord } from '../../contract/json.ts'
import { messageOf, UsageError } from '../errors/cli-errors.ts'
import { parseDocument, textOfFile } from '../named-file.ts'
import { visible } from '../output/text.ts'
import { type Body, merge, pathsOf, valueAt, withValue } from './body.ts'
import {
  FIELD_NAMES,
  type FieldFlags,
  isPayerField,
  isRequestField,
  OPTION_NAMES,
  PAYER_FIELDS,
  REQUEST_FIELDS,
  type RequestField,
  type TermFlags,
  textsIn,
} from './request-fields.ts'

interface BuiltRequest {
  readonly body: Body
  /** What the caller should know, although it is not an error. */
  readonly notes: readonly string[]
}

/** Combines options and data. Options override JSON on the command line, which overrides files, which override stdin. */
export async function buildRequest(flags: FieldFlags): Promise<BuiltRequest> {
  return requestFrom(await readData(flags.data ?? []), flags)
}

/** The same for data that was already read. */
export function requestFrom(data: Body, flags: FieldFlags): BuiltRequest {
  const { body: terms, notes } = termsOf(flags)
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
export function refuseOtherCurrency({ amount, currency }: TermFlags, data: Body): void {
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
    ...(isRecord(body.customer) ? missesIn(body.customer, 'customer.', CUSTOMER) : []),
    ...(isRecord(options) ? missesIn(options, 'payment_method_options.', OPTION_NAMES) : []),
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

/** What `--data` may be. Later kinds override earlier ones. */
const KINDS = ['stdin', 'file', 'inline'] as const
type SourceKind = (typeof KINDS)[number]

/** Reads `file` or `@file`, `-` for stdin, or JSON. Of several of one kind, the last one wins. */
export async function readData(sources: readonly string[]): Promise<Body> {
  const ordered = KINDS.flatMap(kind => sources.filter(source => kindOf(source) === kind))
  if (ordered.filter(source => kindOf(source) === 'stdin').length > 1)
    throw new UsageError('--data cannot read stdin twice: give a file for one of them')
  let body: Body = {}
  for (const source of ordered) body = merge(body, await readSource(source))
  return body
}

/** The same for a body that is sent unchanged. `anything`: text that names no file is a body too. */
export async function readBody(source: string, { anything = false } = {}): Promise<string> {
  if (anything && kindOf(source) === 'file' && !source.startsWith('@')) {
    const written = await textOfFile(source).catch(() => undefined)
    return written ?? source
  }
  return textOf(source)
}

function kindOf(source: string): SourceKind {
  if (source === '-' || source === '@-') return 'stdin'
  return source.startsWith('@') || !isInline(source) ? 'file' : 'inline'
}

/** JSON, or text that begins like JSON and is unlikely to be a file name. */
function isInline(source: string): boolean {
  if (/^\s*(?:[[{"]|$)/.test(source)) return true
  try {
    JSON.parse(source)
    return true
  } catch {
    return false
  }
}

const pathOf = (source: string) =>
  kindOf(source) === 'stdin' ? '-' : source.startsWith('@') ? source.slice(1) : source

async function textOf(source: string): Promise<string> {
  const kind = kindOf(source)
  if (kind === 'inline') return source
  if (kind === 'stdin') return text(process.stdin)
  try {
    return await textOfFile(pathOf(source))
  } catch (cause) {
    const hint = source.startsWith('@') ? '' : '. Text that is not JSON is taken for a file name'
    throw new UsageError(`cannot read ${pathOf(source)} (--data): ${messageOf(cause)}${hint}`)
  }
}

async function readSource(source: string): Promise<Body> {
  const kind = kindOf(source)
  const written = await textOf(source)
  const value = kind === 'inline' ? parsed(written) : await parseDocument(written, pathOf(source))
  if (isRecord(value)) return value
  throw new UsageError(
    `${kind === 'inline' ? '--data' : kind === 'stdin' ? 'stdin' : pathOf(source)} must contain one object`,
  )
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch (cause) {
    throw new UsageError(`--data is not valid JSON: ${messageOf(cause)}`)
  }
}

/** The fields that every payment needs. The server knows what else the route needs. */
export function missingFields(
  body: Body,
  { referenceOptional }: { referenceOptional: boolean },
): RequestField[] {
  const required: RequestField[] = ['amount', 'currency', 'country']
  if (valueAt(body, 'checkout_mode') === 'merchant') required.push('payment_method')
  if (!referenceOptional) required.push('merchant_reference')
  return required.filter(field => valueAt(body, field) === undefined)
}

/** Names all missing fields at once, so that a script needs only one correction. */
export function refuseMissing(missing: readonly RequestField[]): void {
  if (missing.length === 0) return
  const flags = missing.map(field => REQUEST_FIELDS[field])
  throw new UsageError(
    `a payment needs ${listed(flags)}: give them as options or in --data, or run the command in a terminal without --no-input, where it asks for them`,
  )
}

export const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`

const FIELD_BY_CODE: Readonly<Record<string, RequestField>> = { checkout_mode_not_allowed: 'checkout_mode' }

/** The fields that the server rejected, each reported on stderr; none if the error is about something else. */
export function reportRejectedFields(error: unknown): RequestField[] {
  if (!(error instanceof ApiError)) return []
  const byCode = FIELD_BY_CODE[error.code]
  if (byCode) {
    report(error.message)
    return [byCode]
  }
  const known = error.details.filter(({ field }) => isRequestField(field))
  for (const { field, message } of known) report(`${field}: ${message}`)
  return known.map(({ field }) => field).filter(isRequestField)
}

const report = (text: string) => process.stderr.write(`! ${visible(text)}\n`)

/** The same error, with the option beside each rejected field. */
export function nameFlags(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error
  const details = error.details.map(({ field, message }) => ({
    field,
    message: isRequestField(field) ? `${message} (${REQUEST_FIELDS[field]})` : message,
  }))
  return new ApiError({ code: error.code, message: error.message, details }, error.answer)
}
