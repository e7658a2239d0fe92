import type { ReceivedAnswer } from '../../contract/wire-answer.ts'
import type { Mismatch } from '../expect/match.ts'
import type { Path, Position } from '../load/path.ts'
import type { Sent } from './wire.ts'

/** What a step did. */
export interface StepResult {
  readonly sent?: Sent
  readonly answer?: ReceivedAnswer
  /** The id of the record that the step was about, to show its history. */
  readonly subject?: string | undefined
  /** The value that `as` stores. */
  readonly value?: unknown
  readonly mismatches: readonly Mismatch[]
}

export const nothingWrong: StepResult = { mismatches: [] }

export interface StepFailure extends Position {
  readonly mismatches: readonly (Mismatch & Position)[]
  readonly sent?: Sent
  readonly answer?: ReceivedAnswer
  readonly history: readonly string[]
  /** The last output of the application. */
  readonly output?: readonly string[]
}

/** A step, for the reports. */
export interface StepRecord extends Position {
  readonly path: Path
  /** `verify` for the checks at the end. */
  readonly verb: string
  readonly title: string
  readonly depth: number
  /** How far the account's clock had moved since the start. */
  readonly sinceStartMs: number
  /** How long it took in wall time. */
  readonly tookMs: number
  readonly sent?: Sent
  readonly answer?: ReceivedAnswer
  readonly failure?: StepFailure
}

/** A step failed. The steps after it do not run. */
export class StepFailedError extends Error {}
