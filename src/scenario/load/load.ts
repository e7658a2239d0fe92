import { dirname, resolve } from 'node:path'
import { FileRefusedError } from '../../files/regular-file.ts'
import type { Scenario } from '../scenario.ts'
import type { ScenarioData } from '../schema/file.ts'
import { checkScenario } from './check-scenario.ts'
import { parseScenario } from './parse.ts'
import { ScenarioError } from './problems.ts'
import { readScenarioFile } from './scenario-files.ts'

export async function loadScenario(file: string): Promise<Scenario> {
  let text: string
  try {
    text = await readScenarioFile(file)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    const message = cause instanceof FileRefusedError ? why : `cannot be read: ${why}`
    throw new ScenarioError([{ file, line: 1, column: 1, message }])
  }
  return readScenario(text, { file, folder: dirname(resolve(file)) })
}

/** Reads the text of a scenario, or throws a ScenarioError with all of its problems. */
export async function readScenario(
  text: string,
  { file, folder }: { file: string; folder: string },
): Promise<Scenario> {
  const { data, positions } = parseScenario(file, text)
  const problems = checkScenario(data, positions, folder)
  if (!problems.none) throw new ScenarioError(problems.in(file, positions), nameIn(data))
  return { file, folder, data: data as ScenarioData, positions }
}

function nameIn(data: unknown): string | undefined {
  const name = typeof data === 'object' && data !== null && 'name' in data ? data.name : undefined
  return typeof name === 'string' && name !== '' ? name : undefined
}
