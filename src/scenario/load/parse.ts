import { LineCounter } from 'yaml'
import { Positions } from './positions.ts'
import { type FileProblem, ScenarioError } from './problems.ts'
import { readYaml } from './yaml-document.ts'

export interface Parsed {
  readonly data: unknown
  readonly positions: Positions
}

/** Parses a scenario in YAML or JSON, and keeps the position of each value. */
export function parseScenario(file: string, text: string): Parsed {
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
