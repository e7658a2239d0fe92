import { ApiError } from '../../client/index.ts'
import { isRequestField, REQUEST_FIELDS } from './request-fields.ts'

/** The fault, with the flag beside each field that the server found wanting. */
export function nameFlags(error: unknown): unknown {
  if (!(error instanceof ApiError)) return error
  const details = error.details.map(({ field, message }) => ({
    field,
    message: isRequestField(field) ? `${message} (${REQUEST_FIELDS[field]})` : message,
  }))
  return new ApiError({ code: error.code, message: error.message, details }, error.answer)
}
