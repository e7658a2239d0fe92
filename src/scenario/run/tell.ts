import { ControlError } from '../../client/control-error.ts'
import type { Path } from '../load/positions.ts'
import type { Verb } from '../schema/steps.ts'
import { lastOf } from '../steps/history.ts'
import { type Scope, UnknownReferenceError } from './scope.ts'
import type { Stage } from './stage.ts'
import { StepFailedError, type StepRecord, type StepResult } from './step-result.ts'

/** Where a list of steps is being told. */
export interface Telling {
  readonly stage: Stage
  readonly scope: Scope
  readonly depth: number
  readonly records: StepRecord[]
  readonly began: (title: string) => void
  /** Others play at the same time: nothing is waited for between the steps. */
  readonly racing?: true
}

/** What the simulator refuses, and what is not there to refer to, is a step that failed, not a bug. */
export async function carryOut(work: () => Promise<StepResult>): Promise<StepResult> {
  try {
    return await work()
  } catch (cause) {
    if (cause instanceof UnknownReferenceError)
      return {
        mismatches: [
          { path: [], subject: 'reference', expected: 'a value', actual: undefined, why: cause.message },
        ],
      }
    if (cause instanceof ControlError) {
      const { call, answer } = cause
      return {
        answer,
        mismatches: [
          {
            path: [],
            subject: 'simulator',
            expected: 'success',
            actual: answer.body ?? answer.status,
            why: `refused ${call}`,
          },
        ],
      }
    }
    throw cause
  }
}

/** Puts a step on record, and ends the story where it failed. */
export async function tell(
  verb: Verb,
  title: string,
  path: Path,
  { sent, answer, subject, mismatches }: StepResult,
  tookMs: number,
  { stage, depth, records }: Telling,
): Promise<void> {
  const { positions } = stage.scenario
  const base = { path, verb, title, depth, sinceStartMs: stage.sinceStartMs, tookMs, ...positions.of(path) }
  const exchange = { ...(sent ? { sent } : {}), ...(answer ? { answer } : {}) }
  if (mismatches.length === 0) {
    records.push({ ...base, ...exchange })
    return
  }
  const placed = mismatches.map(mismatch => ({ ...mismatch, ...positions.of([...path, ...mismatch.path]) }))
  const [first] = placed
  const history = await lastOf(subject, stage)
  const { line, column } = first ?? base
  records.push({ ...base, ...exchange, failure: { line, column, mismatches: placed, ...exchange, history } })
  throw new StepFailedError(title)
}
