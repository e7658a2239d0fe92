import type { FieldFault } from '../../contract/errors.ts'
import type { Verb } from '../schema/steps.ts'
import type { Faults } from './faults.ts'
import type { Places } from './positions.ts'

/** What the reading of a file's steps needs, and carries along: names as they are captured, the clock as it is set. */
export interface Reading {
  readonly faults: Faults
  readonly positions: Places
  readonly names: Set<string>
  virtual: boolean
  /** Faults of what a step carries that has a reader of its own: rules, faults, catalogues, files. */
  readonly faultsInside: (verb: Verb, step: Record<string, unknown>) => readonly FieldFault[]
}
