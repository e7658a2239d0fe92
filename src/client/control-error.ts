import type { FieldProblem } from '../contract/errors.ts'
import type { Answer } from './answer-type.ts'
import { readErrorBody } from './error-body.ts'

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
    const { code, message, details } = readErrorBody(isObject(answer.body) ? answer.body : {}, status)
    const reason = isObject(answer.body) ? message : text.slice(0, 200)
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

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null
