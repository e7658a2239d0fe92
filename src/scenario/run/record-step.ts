import { ControlError } from '../../client/control-error.ts'
import { FileRefusedError } from '../../files/regular-file.ts'
import type { Path } from '../load/path.ts'
import { lastOfHistory } from './history.ts'
import { UnknownReferenceError } from './scope.ts'
import { StepFailedError, type StepResult } from './step-result.ts'
import type { StepRun } from './step-run.ts'

/** The result of a step. A refusal by the simulator, or a reference to a missing value, is a failed step, not a bug. */
export async function resultOf(work: () => Promise<StepResult>): Promise<StepResult> {
  const failed = (subject: string, expected: string, actual: unknown, why: string) => ({
    mismatches: [{ path: [], subject, expected, actual, why }],
  })
  try {
    return await work()
  } catch (error) {
    if (error instanceof UnknownReferenceError)
      return failed('reference', 'a value', undefined, error.message)
    if (error instanceof FileRefusedError)
      return failed('file', 'a regular file below the folder of the scenario', undefined, error.message)
    if (!(error instanceof ControlError)) throw error
    const { call, answer } = error
    return { answer, ...failed('simulator', 'success', answer.body ?? answer.status, `refused ${call}`) }
  }
}

/** Records a step. Throws if it failed, which ends the scenario. */
export async function recordStep(
  step: { readonly verb: string; readonly title: string; readonly path: Path; readonly tookMs: number },
  { sent, answer, subject, mismatches }: StepResult,
  { stage, depth, records }: StepRun,
): Promise<void> {
  const { positions } = stage.scenario
  const { path, title } = step
  const base = { ...step, depth, sinceStartMs: stage.sinceStartMs, ...positions.of(path) }
  const exchange = { ...(sent ? { sent } : {}), ...(answer ? { answer } : {}) }
  if (mismatches.length === 0) {
    records.push({ ...base, ...exchange })
    return
  }
  const placed = mismatches.map(mismatch => ({ ...mismatch, ...positions.of([...path, ...mismatch.path]) }))
  const [first] = placed
  const history = await lastOfHistory(subject, stage)
  const output = stage.application?.app.output ?? []
  const { line, column } = first ?? base
  records.push({
    ...base,
    ...exchange,
    failure: {
      line,
      column,
      mismatches: placed,
      ...exchange,
      history,
      ...(output.length > 0 ? { output } : {}),
    },
  })
  throw new StepFailedError(title)
}
