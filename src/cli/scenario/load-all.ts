import { type FileFault, loadScenario, type Scenario, ScenarioFault } from '../../scenario/index.ts'
import { FilesFault } from '../faults/usage-fault.ts'
import { findFiles } from './find-files.ts'

/** All scenarios at some paths, or all that is wrong with them. */
export async function loadAll(paths: readonly string[]): Promise<Scenario[]> {
  const faults: FileFault[] = []
  const scenarios: Scenario[] = []
  for (const file of await findFiles(paths)) {
    try {
      scenarios.push(await loadScenario(file))
    } catch (fault) {
      if (!(fault instanceof ScenarioFault)) throw fault
      faults.push(...fault.faults)
    }
  }
  if (faults.length > 0) throw new FilesFault(new ScenarioFault(faults).message)
  return scenarios
}
