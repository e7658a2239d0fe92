import { relative } from 'node:path'
import type { ScenarioResult } from '../run/run-scenario.ts'
import { failedStep, mismatchLines, runTitle } from './failure.ts'

/** Workflow commands for GitHub Actions, which mark lines of files in a pull request. */
export function annotations(results: readonly ScenarioResult[], root: string): string {
  return results
    .flatMap(result => annotationsOf(result).map(place => command(result, place, root)))
    .map(line => `${line}\n`)
    .join('')
}

interface Annotation {
  readonly line: number
  readonly column: number
  readonly message: string
}

/** A problem of a file has its own position; a scenario ends at its first failure. */
function annotationsOf(result: ScenarioResult): readonly Annotation[] {
  if (result.problems) return result.problems
  const { title = '', failure } = failedStep(result) ?? {}
  if (!failure) return []
  return [{ ...failure, message: [title, ...mismatchLines(result.file, failure)].join('\n') }]
}

function command(result: ScenarioResult, { line, column, message }: Annotation, root: string): string {
  const file = relative(root, result.file).replaceAll('\\', '/')
  const properties = { file, line: String(line), col: String(column), title: runTitle(result) }
  const words = Object.entries(properties).map(([name, value]) => `${name}=${escapeProperty(value)}`)
  return `::error ${words.join(',')}::${escapeData(message)}`
}

/** A command is a single line, and colons and commas separate its properties. */
const escapeData = (text: string) =>
  text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
const escapeProperty = (text: string) => escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
