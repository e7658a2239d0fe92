import { dirname, resolve } from 'node:path'
import { LineCounter } from 'yaml'
import { FileRefusedError } from '../../files/regular-file.ts'
import { readYaml } from '../../files/yaml-document.ts'
import type { Scenario, ScenarioData } from '../schema/file.ts'
import { checkScenario } from './check-scenario.ts'
import { Positions } from './positions.ts'
import { type FileProblem, ScenarioError } from './problems.ts'
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

interface Parsed {
  readonly data: unknown
  readonly positions: Positions
}

/** Parses a scenario in YAML or JSON, and keeps the position of each value. */
function parseScenario(file: string, text: string): Parsed {
  const lines = new LineCounter()
  const document = readYaml(text, { lineCounter: lines, merge: true, prettyErrors: false })
  const positions = new Positions(document, lines)
  if (document.errors.length > 0) {
    const problems: FileProblem[] = document.errors.map(({ message, pos }) => ({
      file,
      ...positions.at(pos[0]),
      message: message.split('\n')[0] ?? message,
    }))
    throw new ScenarioError(problems)
  }
  try {
    return { data: document.toJS({ maxAliasCount: 1000 }), positions }
  } catch (cause) {
    const message = cause instanceof Error ? cause.message : String(cause)
    throw new ScenarioError([{ file, line: 1, column: 1, message }])
  }
}
