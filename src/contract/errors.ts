import type { Contract } from './decisions.ts'

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
export const ERROR_CODES = Object.keys(ERROR_STATUS) as ErrorCode[]

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

interface RenderedError {
  status: number
  contentType: string
  body: string
}

/** A rejection as a response, in the body shape of the contract in force. */
export function renderError(contract: Contract, rejection: Rejection, requestId: string): RenderedError {
  const { code, message } = rejection
  const status = rejection.status ?? statusOf(code, contract)
  const details = rejection.details ?? []
  const facts = { code, message, details, request_id: requestId }
  switch (contract['errors.body']) {
    case 'nested':
      return {
        status,
        contentType: 'application/json; charset=utf-8',
        body: JSON.stringify({ error: facts }),
      }
    case 'flat':
      return { status, contentType: 'application/json; charset=utf-8', body: JSON.stringify(facts) }
    case 'problem': {
      const problem = { type: 'about:blank', title: titleOf(code), status, detail: message, ...facts }
      return { status, contentType: 'application/problem+json; charset=utf-8', body: JSON.stringify(problem) }
    }
  }
}

/** The status of a code, which a decision may have changed. */
export function statusOf(code: ErrorCode, contract: Contract): number {
  if (code === 'unauthorized') return Number(contract['auth.failure_status'])
  if (code === 'idempotency_conflict') return Number(contract['errors.idempotency_conflict'])
  return ERROR_STATUS[code]
}

function titleOf(code: string): string {
  const words = code.replaceAll('_', ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The code and the message in the body of a refusal, in any of its shapes; undefined if it is none of ours. */
export function readRefusal(body: string): Pick<Rejection, 'code' | 'message'> | undefined {
  let parsed: unknown
  try {
    parsed = JSON.parse(body)
  } catch {
    return undefined
  }
  const whole: Readonly<Record<string, unknown>> = Object(parsed)
  const { code, message } = Object(whole.error ?? whole)
  return isErrorCode(code) ? { code, message: typeof message === 'string' ? message : '' } : undefined
}

const isErrorCode = (code: unknown): code is ErrorCode =>
  typeof code === 'string' && Object.hasOwn(ERROR_STATUS, code)
