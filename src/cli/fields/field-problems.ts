import { ApiError } from '../../client/index.ts'
import { UsageError } from '../errors/cli-errors.ts'
import { visible } from '../output/text.ts'
import { type Body, valueAt } from './body.ts'
import { isRequestField, REQUEST_FIELDS, type RequestField } from './request-fields.ts'

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
