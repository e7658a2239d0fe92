import type { Path } from '../load/positions.ts'
import type { Scope } from '../run/scope.ts'
import type { Stage } from '../run/stage.ts'
import type { StepResult } from '../run/step-result.ts'
import type { StepOf, Verb } from '../schema/steps.ts'

/** Steps that are made of steps are walked by the runner itself. */
export type FlowVerb = 'repeat' | 'parallel'
export type PlainVerb = Exclude<Verb, FlowVerb>

/** How each step is carried out; its references are resolved by then. */
export type Handlers = {
  readonly [V in PlainVerb]: (step: StepOf<V>, stage: Stage, scope: Scope, path: Path) => Promise<StepResult>
}
