import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll } from 'vitest'
import { startSimulator } from '../../../src/index.ts'
import {
  type OpenTarget,
  openSimulatorTarget,
  readScenario,
  runScenario,
  type ScenarioResult,
} from '../../../src/scenario/index.ts'

const SCENARIOS = fileURLToPath(new URL('../../../scenarios', import.meta.url))

/** One embedded simulator for a test file, and a way to run scenarios in it. */
export function useStage() {
  let target: OpenTarget['target']
  let close: () => Promise<void>
  let runs = 0

  beforeAll(async () => {
    const simulator = await startSimulator({ seed: 7 })
    const opened = await openSimulatorTarget(simulator)
    target = opened.target
    close = async () => {
      await opened.close()
      await simulator.stop()
    }
  })
  afterAll(() => close())

  return {
    target: () => target,
    async tell(text: string): Promise<ScenarioResult> {
      const scenario = await readScenario(text, { file: 'story.yaml', folder: SCENARIOS })
      return runScenario(scenario, { target, run: `story-${runs++}`, transcript: true })
    },
  }
}

/** Where a scenario failed: `line: subject`. */
export const failureOf = ({ steps }: ScenarioResult) =>
  steps.flatMap(({ failure }) => failure?.mismatches ?? []).map(({ line, subject }) => `${line}: ${subject}`)
