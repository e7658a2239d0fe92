import type { ScenarioResult } from '../run/run-scenario.ts'
import { failureSummaryOf, runTitle } from './failure.ts'

/** TAP 14: one line for each file, with the details of a failure as its diagnostic. */
export function tap(results: readonly ScenarioResult[]): string {
  const lines = results.flatMap((result, at) => {
    const { ok, file } = result
    const head = `${ok ? 'ok' : 'not ok'} ${at + 1} - ${oneLine(runTitle(result))} (${oneLine(file)})`
    const trouble = failureSummaryOf(result)
    if (!trouble) return [head]
    const { message, line, column } = trouble
    const text = trouble.lines.flatMap(one => one.split('\n'))
    return [
      head,
      '  ---',
      `  message: ${JSON.stringify(message)}`,
      `  at: ${JSON.stringify(`${file}:${line}:${column}`)}`,
      '  diff: |',
      ...text.map(one => `    ${one}`),
      '  ...',
    ]
  })
  return `TAP version 14\n1..${results.length}\n${lines.map(line => `${line}\n`).join('')}`
}

/** A `#` starts a directive, and a line break ends the name. */
const oneLine = (text: string) => text.replace(/\s+/g, ' ').replace(/([\\#])/g, '\\$1')
