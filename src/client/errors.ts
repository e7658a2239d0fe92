import type { FieldProblem } from '../contract/errors.ts'
import { isRecord } from '../contract/json.ts'
import type { Answer } from './transport/transport.ts'

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

export interface ErrorFacts {
  readonly code: string
  readonly message: string
  readonly details: readonly FieldProblem[]
  readonly requestId: string | undefined
}

/**
 * Reads an error in any of the possible shapes: nested under `error`, flat, or an RFC 9457 problem. It accepts any
 * body, because the status must reach the user even if the body is useless.
 */
export function readErrorBody(body: object, status: number): ErrorFacts {
  const flat = record(body)
  const facts = isRecord(flat.error) ? flat.error : flat
  const shortError = text(flat.error)
  return {
    code: text(facts.code) ?? shortError ?? 'unknown',
    message:
      text(facts.message) ??
      text(facts.detail) ??
      text(facts.title) ??
      shortError ??
      `the server answered ${status}`,
    details: detailsOf(facts.details ?? facts.errors),
    requestId: text(facts.request_id) ?? text(flat.request_id),
  }
}

function detailsOf(value: unknown): FieldProblem[] {
  if (!Array.isArray(value)) return []
  return value.filter(isRecord).flatMap(({ field, message }) => {
    const [where, what] = [text(field), text(message)]
    return where === undefined && what === undefined ? [] : [{ field: where ?? '', message: what ?? '' }]
  })
}

type Loose = Readonly<Record<string, unknown>>

const record = (value: object): Loose => ({ ...value })
/** On one line: with a line of its own, a server could say something in our name. */
const text = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? oneLine(value) : undefined
const oneLine = (value: string) => value.replaceAll(/\s*[\r\n\u0085\u2028\u2029]+\s*/g, ' ')

/** A call that the control surface refused. */
export class ControlError extends Error {
  override readonly name = 'ControlError'
  /** The server's message, without the call. */
  readonly reason: string
  readonly status: number
  readonly code: string
  readonly details: readonly FieldProblem[]
  readonly requestId: string | null
  /** The whole answer. It may be long, so logs do not show it. */
  declare readonly answer: Answer

  constructor(
    /** Method and path. */
    readonly call: string,
    answer: Answer,
  ) {
    const { status, text } = answer
    const { code, message, details } = readErrorBody(isRecord(answer.body) ? answer.body : {}, status)
    const reason = isRecord(answer.body) ? message : oneLine(text.slice(0, 200))
    super(`${call}: ${status}${code === 'unknown' ? '' : ` ${code}`}: ${reason}`)
    this.reason = reason
    this.status = status
    this.code = code
    this.details = details
    this.requestId = answer.requestId ?? null
    Object.defineProperty(this, 'answer', { value: answer })
  }
}

/** There was no answer, or it did not come from a control surface. */
export class ControlUnreachableError extends Error {
  override readonly name = 'ControlUnreachableError'
}
