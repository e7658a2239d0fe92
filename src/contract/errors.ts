/** Every code a caller can meet, and the HTTP status it comes with unless a decision says otherwise. */
export const ERROR_STATUS = {
  validation_failed: 400,
  unauthorized: 401,
  checkout_mode_not_allowed: 403,
  not_found: 404,
  method_not_allowed: 405,
  idempotency_conflict: 409,
  idempotency_in_progress: 409,
  payload_too_large: 413,
  unsupported_media_type: 415,
  payment_configuration_unavailable: 422,
  routing_unavailable: 422,
  provider_capability_unsupported: 422,
  invalid_state: 422,
  rate_limited: 429,
  internal_error: 500,
  service_unavailable: 503,
} as const

export type ErrorCode = keyof typeof ERROR_STATUS

/** One thing wrong with one field of a request. */
export interface FieldProblem {
  field: string
  message: string
}

/** A request turned down. `decide` returns it; the server words it for the wire. */
export interface Rejection {
  code: ErrorCode
  message: string
  details?: readonly FieldProblem[]
  /** Where the status is not the code's own: a decision moved it. */
  status?: number
}

export function rejection(code: ErrorCode, message: string, details?: readonly FieldProblem[]): Rejection {
  return details ? { code, message, details } : { code, message }
}

/** The one rejection that lists fields: each fault names its field and the rule it broke. */
export function invalid(problems: readonly FieldProblem[]): Rejection {
  const [first] = problems
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : ''
  const message = first ? `${first.field} ${first.message}${more}` : 'The request is not valid'
  return { code: 'validation_failed', message, details: problems }
}
