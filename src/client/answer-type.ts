import type { WireAnswer } from '../contract/wire-answer.ts'

/** The whole answer, with its parsed body. */
export interface Answer<T = unknown> extends WireAnswer {
  readonly body: T
  readonly requestId: string | undefined
  /** The number of attempts, including this one. */
  readonly attempts: number
}
