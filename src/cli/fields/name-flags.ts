import { ApiError } from '../../client/index.ts'
import { isRequestField, REQUEST_FIELDS } from './request-fields.ts'

/** The fault, with the flag beside each field that the server found wanting. */
export function nameFlags(fault: unknown): unknown {
  if (!(fault instanceof ApiError)) return fault
  const details = fault.details.map(({ field, message }) => ({
    field,
    message: isRequestField(field) ? `${message} (${REQUEST_FIELDS[field]})` : message,
  }))
  return new ApiError({ code: fault.code, message: fault.message, details }, fault.answer)
}
