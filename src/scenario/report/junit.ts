import type { ScenarioResult } from '../run/run-scenario.ts'
import { runTitle, troubleOf } from './failure.ts'

/** JUnit XML, as CI systems read it: a suite of all files, a case for each. */
export function junit(results: readonly ScenarioResult[]): string {
  const failures = results.filter(({ ok }) => !ok).length
  const time = seconds(results.reduce((sum, { tookMs }) => sum + tookMs, 0))
  const counts = `tests="${results.length}" failures="${failures}" errors="0" time="${time}"`
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="paysim" ${counts}>
<testsuite name="paysim" ${counts}>
${results.map(testCase).join('\n')}
</testsuite>
</testsuites>
`
}

function testCase(result: ScenarioResult): string {
  const { file, tookMs } = result
  const head = `<testcase classname="${xml(file)}" name="${xml(runTitle(result))}" file="${xml(file)}" time="${seconds(tookMs)}"`
  const trouble = troubleOf(result)
  if (!trouble) return `${head}/>`
  const { message, line, lines } = trouble
  return `${head}>\n<failure message="${xml(`${message} (${file}:${line})`)}">${xml(lines.join('\n'))}</failure>\n</testcase>`
}

const seconds = (ms: number) => (ms / 1000).toFixed(3)

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
/** XML has no way at all to say most control characters. */
const xml = (text: string) =>
  [...text]
    .map(character =>
      character < ' ' && !'\t\n\r'.includes(character) ? '\uFFFD' : (ENTITIES[character] ?? character),
    )
    .join('')
