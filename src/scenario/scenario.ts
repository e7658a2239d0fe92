import type { PositionFinder } from './load/path.ts'
import type { ScenarioData } from './schema/file.ts'

/** A scenario that was read and checked. */
export interface Scenario {
  readonly file: string
  /** The folder that the paths in its steps are relative to. */
  readonly folder: string
  readonly data: ScenarioData
  readonly positions: PositionFinder
}
