import type { Path } from '../load/path.ts'
import type { Scope } from './scope.ts'
import type { Stage } from './stage.ts'
import type { StepRecord } from './step-result.ts'

/** The context in which a list of steps runs. */
export interface StepRun {
  readonly stage: Stage
  readonly scope: Scope
  readonly depth: number
  readonly records: StepRecord[]
  readonly onStep: (title: string) => void
  /** Other steps run at the same time, so do not wait between steps. */
  readonly racing?: true
}

/** Runs steps inside a step. */
export interface StepRunner {
  steps(steps: readonly object[], path: Path, run: StepRun): Promise<void>
  step(step: object, path: Path, run: StepRun): Promise<void>
}
