import { ControlError, ControlUnreachableError } from '../../client/errors.ts'
import {
  ApiError,
  ArgumentError,
  ConnectError,
  ReceiptError,
  UnexpectedAnswerError,
  UnsafeTargetError,
  WaitTimeoutError,
} from '../../client/index.ts'
import { StartError } from '../../engine/store/store-errors.ts'
import { QueryError } from '../output/query.ts'
import {
  InterruptedError,
  MadeOtherwiseError,
  NotFoundError,
  UnfitServerError,
  UsageError,
} from './cli-errors.ts'

/** Exit codes, which scripts rely on. */
export const EXIT = {
  done: 0,
  unexpected: 1,
  usage: 2,
  credentials: 3,
  notFound: 4,
  state: 5,
  noRoute: 6,
  noAnswer: 7,
  timedOut: 8,
  endedOtherwise: 9,
  expectationFailed: 10,
  interrupted: 130,
} as const

const BY_CODE: Readonly<Record<string, number>> = {
  validation_failed: EXIT.usage,
  unauthorized: EXIT.credentials,
  checkout_mode_not_allowed: EXIT.credentials,
  not_found: EXIT.notFound,
  invalid_state: EXIT.state,
  idempotency_conflict: EXIT.state,
  idempotency_in_progress: EXIT.state,
  provider_capability_unsupported: EXIT.state,
  routing_unavailable: EXIT.noRoute,
  payment_configuration_unavailable: EXIT.noRoute,
}

const BY_STATUS: Readonly<Record<number, number>> = {
  401: EXIT.credentials,
  403: EXIT.credentials,
  404: EXIT.notFound,
  409: EXIT.state,
  422: EXIT.state,
  429: EXIT.unexpected,
}

export function exitCodeOf(error: unknown): number {
  if (error instanceof ApiError || error instanceof ControlError)
    return exitCodeOfAnswer(error.code, error.status)
  // A broken server, or a proxy in front of it, rarely answers with JSON.
  if (error instanceof UnexpectedAnswerError) return error.status >= 500 ? EXIT.unexpected : EXIT.noAnswer
  if (error instanceof ConnectError || error instanceof ControlUnreachableError) return EXIT.noAnswer
  if (error instanceof NotFoundError) return EXIT.notFound
  if (error instanceof WaitTimeoutError) return EXIT.timedOut
  if (error instanceof StartError || error instanceof UnfitServerError) return error.exitCode
  if (error instanceof InterruptedError) return EXIT.interrupted
  return isUsage(error) ? EXIT.usage : EXIT.unexpected
}

const USAGE = [UsageError, QueryError, ArgumentError, ReceiptError, UnsafeTargetError]
const isUsage = (error: unknown) => USAGE.some(kind => error instanceof kind)

/** Whether the message is enough, so that the stack would help nobody. */
export const isExpected = (error: unknown): boolean =>
  exitCodeOf(error) !== EXIT.unexpected ||
  error instanceof StartError ||
  error instanceof UnfitServerError ||
  error instanceof MadeOtherwiseError ||
  error instanceof ApiError ||
  error instanceof ControlError ||
  error instanceof UnexpectedAnswerError

/**
 * For an unknown code, the HTTP status counts. An error without a code is not an error of this API: a web server's own 404
 * says nothing about a payment. Only refused credentials and too many requests are believed without a code.
 */
export function exitCodeOfAnswer(code: string, status: number): number {
  if (status >= 500) return EXIT.unexpected
  if (!isErrorCode(code) && !ENOUGH_WITHOUT_CODE.has(status)) return EXIT.noAnswer
  return BY_CODE[code] ?? BY_STATUS[status] ?? EXIT.usage
}

const ENOUGH_WITHOUT_CODE: ReadonlySet<number> = new Set([401, 403, 429])

/** The format of this API's codes. Other servers send texts such as `Not Found`. */
const isErrorCode = (code: string) => code !== 'unknown' && /^[a-z][a-z\d_.-]*$/.test(code)
