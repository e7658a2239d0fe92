import { ApiError } from '../../client/index.ts'
import { visible } from '../output/visible.ts'
import { isRequestField, type RequestField } from './request-fields.ts'

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
