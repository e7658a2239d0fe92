import type { ScenarioResult } from '../run/run-scenario.ts'
import { runTitle, troubleOf } from './failure.ts'

/** TAP 14: a line for each file, and what failed as its diagnostic. */
export function tap(results: readonly ScenarioResult[]): string {
  const lines = results.flatMap((result, at) => {
    const { ok, file } = result
    const head = `${ok ? 'ok' : 'not ok'} ${at + 1} - ${oneLine(runTitle(result))} (${oneLine(file)})`
    const trouble = troubleOf(result)
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

/** A `#` begins a directive, and a line ends the name. */
const oneLine = (text: string) => text.replace(/\s+/g, ' ').replace(/([\\#])/g, '\\$1')
