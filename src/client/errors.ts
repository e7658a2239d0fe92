import type { Answer } from './answer-type.ts'

/** All that a client throws of its own. None of them carries a secret. */
export class ClientError extends Error {
  override get name(): string {
    return this.constructor.name
  }
}

/** The caller asked for what cannot be asked: a base URL that is none, an empty id, a header that is no header. */
export class ArgumentError extends ClientError {}

/** A live key would have gone over the network in the clear. */
export class UnsafeTargetError extends ClientError {}

export type ReceiptErrorReason = 'unreadable' | 'empty' | 'too_large' | 'not_an_image'

/** The image was not sent: the server would have refused it. */
export class ReceiptError extends ClientError {
  constructor(
    readonly reason: ReceiptErrorReason,
    message: string,
  ) {
    super(message)
  }
}

export interface FieldProblem {
  readonly field: string
  readonly message: string
}

/** A fault with the answer it came with, kept out of what is logged: the answer may be long. */
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

/** The server turned the call down, and said why. */
export class ApiError extends AnsweredError {
  /** As the server spelled it: may be one that this project does not know, and `unknown` where there was none. */
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

/** Something answered, but not this API: a page, nothing at all, JSON of another shape. */
export class UnexpectedAnswerError extends AnsweredError {
  constructor(
    message: string,
    answer: Answer,
    /** How the answer began, fit to be shown on a terminal. */
    readonly firstBytes: string,
    /** What is wrong with its members, where it is JSON. */
    readonly problems: readonly FieldProblem[] = [],
  ) {
    super(message, answer)
  }
}

/** What answered was not even JSON, or JSON without members. */
export class NotJsonError extends UnexpectedAnswerError {}

export interface ConnectionFacts {
  readonly code: string
  /** Whether the request may have reached the server. */
  readonly sent: boolean
  /** Whether trying again cannot help: a certificate that is not trusted stays so. */
  readonly permanent?: boolean
}

/** No answer came. The message says what to do about it. */
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

/** No answer came in time. */
export class TimeoutError extends ConnectError {
  constructor(
    message: string,
    facts: ConnectionFacts,
    readonly phase: TimeoutPhase,
  ) {
    super(message, facts)
  }
}

/** The payment did not get where it was waited for in time. */
export class WaitTimeoutError extends AnsweredError {}

/** The list gave a cursor that it had given before: following it would never end. */
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
