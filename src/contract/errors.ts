/** Every error code of the API, with its HTTP status unless a decision changes it. */
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
  readonly field: string
  readonly message: string
}

/** A refused request. `decide` returns it, and the server renders it. */
export interface Rejection {
  code: ErrorCode
  message: string
  details?: readonly FieldProblem[]
  /** The status, if a decision changed that of the code. */
  status?: number
}

export function rejection(code: ErrorCode, message: string, details?: readonly FieldProblem[]): Rejection {
  return details ? { code, message, details } : { code, message }
}

/** The only rejection that lists fields. Each problem names its field and the rule that it breaks. */
export function invalid(problems: readonly FieldProblem[]): Rejection {
  const [first] = problems
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : ''
  const message = first ? `${first.field} ${first.message}${more}` : 'The request is not valid'
  return { code: 'validation_failed', message, details: problems }
}
