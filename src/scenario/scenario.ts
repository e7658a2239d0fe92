import type { PositionFinder } from './load/path.ts'
import type { ScenarioData } from './schema/file.ts'

/** A scenario that was read and checked, so that it can be run. */
export interface Scenario {
  readonly file: string
  /** Files that steps name are found from here. */
  readonly folder: string
  readonly data: ScenarioData
  readonly positions: PositionFinder
}
