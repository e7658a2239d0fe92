import type { ScenarioResult } from '../run/run-scenario.ts'
import { failedStep, failureLines } from './failure.ts'

/** TAP 14: a line for each file, and what failed as its diagnostic. */
export function tap(results: readonly ScenarioResult[]): string {
  const lines = results.flatMap((result, at) => {
    const { ok, file, name } = result
    const head = `${ok ? 'ok' : 'not ok'} ${at + 1} - ${oneLine(name)} (${oneLine(file)})`
    const step = failedStep(result)
    if (!step?.failure) return [head]
    const { line, column } = step.failure
    const text = failureLines(file, step.failure).flatMap(one => one.split('\n'))
    return [
      head,
      '  ---',
      `  message: ${JSON.stringify(step.title)}`,
      `  at: ${JSON.stringify(`${file}:${line}:${column}`)}`,
      '  diff: |',
      ...text.map(one => `    ${one}`),
      '  ...',
    ]
  })
  return `TAP version 14\n1..${results.length}\n${lines.map(line => `${line}\n`).join('')}`
}

/** A `#` begins a directive, and a line ends the name. */
const oneLine = (text: string) => text.replace(/\s+/g, ' ').replace(/([\\#])/g, '\\$1')
