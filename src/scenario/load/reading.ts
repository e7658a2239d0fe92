import type { FieldProblem } from '../../contract/errors.ts'
import type { Verb } from '../schema/steps.ts'
import type { PathFinder } from './positions.ts'
import type { Problems } from './problems.ts'

/** What the reading of a file's steps needs, and carries along: names as they are captured, the clock as it is set. */
export interface Reading {
  readonly problems: Problems
  readonly positions: PathFinder
  readonly names: Set<string>
  virtual: boolean
  /** Faults of what a step carries that has a reader of its own: rules, faults, catalogues, files. */
  readonly problemsInside: (verb: Verb, step: Record<string, unknown>) => readonly FieldProblem[]
}
