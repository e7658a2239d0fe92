import type { ScenarioResult } from '../run/run-scenario.ts'
import { failureSummaryOf, runTitle } from './failure.ts'

/** A case of a JUnit report. */
export interface TestCase {
  readonly file: string
  readonly name: string
  readonly tookMs: number
  readonly failure?: { readonly message: string; readonly lines: readonly string[] }
}

/** JUnit XML for CI systems: one suite with a case for each file. */
export const junit = (results: readonly ScenarioResult[]) => testSuites(results.map(caseOf))

export function testSuites(cases: readonly TestCase[]): string {
  const failures = cases.filter(({ failure }) => failure).length
  const time = seconds(cases.reduce((sum, { tookMs }) => sum + tookMs, 0))
  const counts = `tests="${cases.length}" failures="${failures}" errors="0" time="${time}"`
  return `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="paysim" ${counts}>
<testsuite name="paysim" ${counts}>
${cases.map(testCase).join('\n')}
</testsuite>
</testsuites>
`
}

function caseOf(result: ScenarioResult): TestCase {
  const { file, tookMs } = result
  const trouble = failureSummaryOf(result)
  const base = { file, name: runTitle(result), tookMs }
  if (!trouble) return base
  const { message, line, lines } = trouble
  return { ...base, failure: { message: `${message} (${file}:${line})`, lines } }
}

function testCase({ file, name, tookMs, failure }: TestCase): string {
  const head = `<testcase classname="${xml(file)}" name="${xml(name)}" file="${xml(file)}" time="${seconds(tookMs)}"`
  if (!failure) return `${head}/>`
  return `${head}>\n<failure message="${xml(failure.message)}">${xml(failure.lines.join('\n'))}</failure>\n</testcase>`
}

const seconds = (ms: number) => (ms / 1000).toFixed(3)

const ENTITIES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
/** XML cannot represent most control characters. */
const xml = (text: string) =>
  [...text]
    .map(character =>
      character < ' ' && !'\t\n\r'.includes(character) ? '\uFFFD' : (ENTITIES[character] ?? character),
    )
    .join('')
