import type { Mismatch } from '../expect/match.ts'
import type { Path, Position } from '../load/path.ts'
import type { Answer, Sent } from './wire.ts'

/** What a step did. */
export interface StepResult {
  readonly sent?: Sent
  readonly answer?: Answer
  /** The record that it was about, whose history says more. */
  readonly subject?: string | undefined
  /** What `as` captures. */
  readonly value?: unknown
  readonly mismatches: readonly Mismatch[]
}

export const nothingWrong: StepResult = { mismatches: [] }

export interface StepFailure extends Position {
  readonly mismatches: readonly (Mismatch & Position)[]
  readonly sent?: Sent
  readonly answer?: Answer
  readonly history: readonly string[]
  /** The last of what the application printed. */
  readonly output?: readonly string[]
}

/** A step as the reports tell it. */
export interface StepRecord extends Position {
  readonly path: Path
  /** `verify` for what is checked at the end. */
  readonly verb: string
  readonly title: string
  readonly depth: number
  /** How far the account's time was from where it began. */
  readonly sinceStartMs: number
  /** How long it took on the wall. */
  readonly tookMs: number
  readonly sent?: Sent
  readonly answer?: Answer
  readonly failure?: StepFailure
}

/** A step that did not go as the story says: nothing after it would mean anything. */
export class StepFailedError extends Error {}
