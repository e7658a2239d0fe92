import { afterAll, beforeAll } from 'vitest'
import { startSimulator } from '../../../src/index.ts'
import {
  Receiver,
  readScenario,
  runScenario,
  type ScenarioResult,
  type Target,
  Wire,
} from '../../../src/scenario/index.ts'

/** One embedded simulator for a test file, and a way to tell a story in it. */
export function useStage() {
  let target: Extract<Target, { kind: 'simulator' }>
  let close: () => Promise<void>
  let runs = 0

  beforeAll(async () => {
    const simulator = await startSimulator({ seed: 7 })
    const { url: baseUrl, controlUrl, controlToken } = simulator
    const receiver = await Receiver.open()
    const wire = new Wire()
    const createPath = '/payment_intents'
    target = {
      kind: 'simulator',
      baseUrl,
      controlUrl,
      controlToken,
      receiver,
      merchants: new Set(),
      createPath,
      wire,
    }
    close = async () => {
      await wire.close()
      await receiver.close()
      await simulator.stop()
    }
  })
  afterAll(() => close())

  return {
    target: () => target,
    async tell(text: string): Promise<ScenarioResult> {
      const scenario = await readScenario(text, { file: 'story.yaml', folder: import.meta.dirname })
      return runScenario(scenario, { target, run: `story-${runs++}`, transcript: true })
    },
  }
}

/** Where a story failed, and at what: `line: subject`. */
export const failureOf = ({ steps }: ScenarioResult) =>
  steps.flatMap(({ failure }) => failure?.mismatches ?? []).map(({ line, subject }) => `${line}: ${subject}`)
