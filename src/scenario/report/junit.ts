import type { ScenarioResult } from '../run/run-scenario.ts'
import { failedStep, failureLines } from './failure.ts'

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
  const { file, name, tookMs } = result
  const head = `<testcase classname="${xml(file)}" name="${xml(name)}" file="${xml(file)}" time="${seconds(tookMs)}"`
  const step = failedStep(result)
  if (!step?.failure) return `${head}/>`
  const text = failureLines(file, step.failure).join('\n')
  return `${head}>\n<failure message="${xml(`${step.title} (${file}:${step.failure.line})`)}">${xml(text)}</failure>\n</testcase>`
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
