import type { FieldProblem } from '../contract/errors.ts'
import type { Answer } from './answer-type.ts'

/** The errors of the client. None of them contains a secret. */
export class ClientError extends Error {
  override get name(): string {
    return this.constructor.name
  }
}

/** The caller passed something invalid, such as a malformed base URL, an empty id or a malformed header. */
export class ArgumentError extends ClientError {}

/** A live key would have been sent unencrypted. */
export class UnsafeTargetError extends ClientError {}

export type ReceiptErrorReason = 'unreadable' | 'empty' | 'too_large' | 'not_an_image'

/** The image was not sent, because the server would have refused it. */
export class ReceiptError extends ClientError {
  constructor(
    readonly reason: ReceiptErrorReason,
    message: string,
  ) {
    super(message)
  }
}

/** An error with its answer. The answer may be long, so logs do not show it. */
abstract class AnsweredError extends ClientError {
  declare readonly answer: Answer

  constructor(message: string, answer: Answer) {
    super(message)
    Object.defineProperty(this, 'answer', { value: answer })
  }

  get status(): number {
    return this.answer.status
  }
}

/** The server refused the call, with a reason. */
export class ApiError extends AnsweredError {
  /** The code from the server. It may be unknown to this project; it is `unknown` if there was none. */
  readonly code: string
  readonly details: readonly FieldProblem[]
  readonly requestId: string | undefined

  constructor(facts: { code: string; message: string; details: readonly FieldProblem[] }, answer: Answer) {
    super(facts.message, answer)
    this.code = facts.code
    this.details = facts.details
    this.requestId = answer.requestId
  }
}

/** The answer did not come from this API: it is a page, empty, or JSON of another shape. */
export class UnexpectedAnswerError extends AnsweredError {
  constructor(
    message: string,
    answer: Answer,
    /** The start of the answer, safe to show on a terminal. */
    readonly firstBytes: string,
    /** The problems of its members, if it is JSON. */
    readonly problems: readonly FieldProblem[] = [],
  ) {
    super(message, answer)
  }
}

/** The answer was not a JSON object. */
export class NotJsonError extends UnexpectedAnswerError {}

export interface ConnectionFacts {
  readonly code: string
  /** Whether the request may have reached the server. */
  readonly sent: boolean
  /** Whether a retry cannot help, such as for an untrusted certificate. */
  readonly permanent?: boolean
}

/** There was no answer. The message says what to do. */
export class ConnectError extends ClientError {
  readonly code: string
  readonly sent: boolean
  readonly permanent: boolean

  constructor(message: string, { code, sent, permanent = false }: ConnectionFacts) {
    super(message)
    this.code = code
    this.sent = sent
    this.permanent = permanent
  }
}

export type TimeoutPhase = 'connect' | 'headers' | 'body'

/** The answer did not come in time. */
export class TimeoutError extends ConnectError {
  constructor(
    message: string,
    facts: ConnectionFacts,
    readonly phase: TimeoutPhase,
  ) {
    super(message, facts)
  }
}

/** The payment did not reach the expected status in time. */
export class WaitTimeoutError extends AnsweredError {}

/** The list repeated a cursor, so following it would never end. */
export class CursorRepeatedError extends UnexpectedAnswerError {
  constructor(
    readonly cursor: string,
    answer: Answer,
  ) {
    const problem = { field: 'next_cursor', message: `is ${JSON.stringify(cursor)} a second time` }
    super(
      `the list gave the cursor ${JSON.stringify(cursor)} a second time, so its pages would never end`,
      answer,
      '',
      [problem],
    )
  }
}
