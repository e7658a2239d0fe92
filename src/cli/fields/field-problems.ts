import { ApiError } from '../../client/index.ts'
import { UsageError } from '../errors/cli-errors.ts'
import { visible } from '../output/text.ts'
import { type Body, valueAt } from './body.ts'
import { isRequestField, REQUEST_FIELDS, type RequestField } from './request-fields.ts'

/** What no payment can be made without, wherever it goes. What the route asks for, the server knows. */
export function missingFields(
  body: Body,
  { referenceOptional }: { referenceOptional: boolean },
): RequestField[] {
  const wanted: RequestField[] = ['amount', 'currency', 'country']
  if (valueAt(body, 'checkout_mode') === 'merchant') wanted.push('payment_method')
  if (!referenceOptional) wanted.push('merchant_reference')
  return wanted.filter(field => valueAt(body, field) === undefined)
}

/** All at once: whoever mends a script should not have to run it once for each. */
export function refuseMissing(missing: readonly RequestField[]): void {
  if (missing.length === 0) return
  const flags = missing.map(field => REQUEST_FIELDS[field])
  throw new UsageError(
    `a payment needs ${listed(flags)}, by flag or in --data; on a terminal, without --no-input, what is missing is asked for`,
  )
}

export const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`

const FIELD_BY_CODE: Readonly<Record<string, RequestField>> = { checkout_mode_not_allowed: 'checkout_mode' }

/** The fields that the server found wanting, each told; none where the fault is about something else. */
export function describeFieldProblems(error: unknown): RequestField[] {
  if (!(error instanceof ApiError)) return []
  const byCode = FIELD_BY_CODE[error.code]
  if (byCode) {
    tell(error.message)
    return [byCode]
  }
  const known = error.details.filter(({ field }) => isRequestField(field))
  for (const { field, message } of known) tell(`${field}: ${message}`)
  return known.map(({ field }) => field).filter(isRequestField)
}

const tell = (text: string) => process.stderr.write(`! ${visible(text)}\n`)

/** The fault, with the flag beside each field that the server found wanting. */
export function nameFlags(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error
  const details = error.details.map(({ field, message }) => ({
    field,
    message: isRequestField(field) ? `${message} (${REQUEST_FIELDS[field]})` : message,
  }))
  return new ApiError({ code: error.code, message: error.message, details }, error.answer)
}
