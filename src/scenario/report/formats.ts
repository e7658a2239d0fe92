import { relative } from 'node:path'
import { formatDuration } from '../../contract/durations.ts'
import type { ReportedFailure, ReportedScenario, ReportedStep, RunReport } from '../../contract/reports.ts'
import { ABSENT } from '../expect/match.ts'
import { describeProblem } from '../load/problems.ts'
import type { ScenarioResult } from '../run/run-scenario.ts'
import type { StepRecord } from '../run/step-result.ts'
import {
  failedStep,
  failureLines,
  failureSummaryOf,
  headOf,
  mismatchLines,
  type Paint,
  runTitle,
} from './failure.ts'

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

/** The JSON report: everything that is known about the runs. */
export function json(results: readonly ScenarioResult[]): string {
  const failed = results.filter(({ ok }) => !ok).length
  const report: RunReport = {
    ok: failed === 0,
    scenarios: results.length,
    failed,
    results: results.map(resultView),
  }
  return `${JSON.stringify(report, (_, value) => (value === ABSENT ? { absent: true } : value), 2)}\n`
}

/** Disturbances that did not happen, so that an application which passed did not survive them either. */
export const warningsOf = ({ ok, application }: ScenarioResult): string[] =>
  (ok ? (application?.unmet ?? []) : []).map(({ kind, event, call }) => {
    const what = [kind, event ?? call].filter(part => part !== undefined).join(' ')
    return `${what} did not happen, so this run does not show whether the application survives it`
  })

const resultView = (result: ScenarioResult): ReportedScenario => {
  const { file, name, repetition, seed, problems, ok, tookMs, passedMs, virtual, steps } = result
  const warnings = warningsOf(result)
  return {
    file,
    name,
    ...(repetition ? { turn: repetition.nth, of: repetition.of } : {}),
    ...(seed === undefined ? {} : { seed }),
    ok,
    ...(problems
      ? { problems: problems.map(({ line, column, message }) => ({ line, column, message })) }
      : {}),
    ...(warnings.length > 0 ? { warnings } : {}),
    took_ms: rounded(tookMs),
    clock: virtual ? 'virtual' : 'real',
    passed_ms: passedMs,
    steps: steps.map(stepView),
  }
}

const stepView = ({
  verb,
  title,
  place,
  depth,
  sinceStartMs,
  tookMs,
  failure,
}: StepRecord): ReportedStep => ({
  step: verb,
  title,
  ...place(),
  depth,
  since_start_ms: sinceStartMs,
  took_ms: rounded(tookMs),
  ok: failure === undefined,
  ...(failure ? { failure: failureView(failure) } : {}),
})

const failureView = ({
  line,
  column,
  mismatches,
  sent,
  answer,
  history,
}: NonNullable<StepRecord['failure']>): ReportedFailure => ({
  line,
  column,
  mismatches: mismatches.map(({ subject, expected, actual, why, line, column }) => ({
    subject,
    // JSON has no symbols, so the replacer turns the one for a missing value into an object.
    expected: expected ?? null,
    actual: actual ?? null,
    why: why ?? null,
    line,
    column,
  })),
  request: sent ? { method: sent.method, url: sent.url } : null,
  answer: answer ? { status: answer.status, body: answer.text, lost: answer.lost ?? null } : null,
  history,
})

const rounded = (ms: number) => Math.round(ms * 1000) / 1000

/** A case of a JUnit report. */
interface TestCase {
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

const TIME_WIDTH = 10

/** One scenario for a terminal: a line for each step with its time, and the details of a failed step. */
export function story(result: ScenarioResult, paint: Paint, { brief }: { brief: boolean }): string {
  const { ok, file, tookMs, problems } = result
  const name = runTitle(result)
  const mark = ok ? paint.good('✓') : paint.bad('✗')
  if (problems)
    return `${mark} ${paint.bold(name)}  ${headOf(problems)}\n${problems.map(one => `  ${describeProblem(one)}\n`).join('')}`
  const head = `${mark} ${paint.bold(name)}  ${paint.dim(`${file}  ${Math.round(tookMs)} ms${passed(result)}`)}`
  const steps = ok && brief ? [] : result.steps.flatMap(step => stepLines(step, result, paint))
  const warnings = warningsOf(result).map(warning => `  ${paint.bad('!')} ${warning}`)
  return `${[head, ...steps, ...warnings].join('\n')}\n`
}

const passed = ({ virtual, passedMs }: ScenarioResult) =>
  virtual && passedMs > 0 ? `, ${formatDuration(passedMs)} of account time` : ''

function stepLines(step: StepRecord, { file, virtual }: ScenarioResult, paint: Paint): string[] {
  const { title, depth, sinceStartMs, tookMs, failure } = step
  const time = virtual ? `+${formatDuration(sinceStartMs)}` : `${Math.round(tookMs)}ms`
  const mark = failure ? paint.bad('✗') : paint.good('✓')
  const line = `  ${paint.dim(time.padStart(TIME_WIDTH))} ${'  '.repeat(depth)}${mark} ${title.replace(/\s+/g, ' ')}`
  if (!failure) return [line]
  return [
    line,
    ...failureLines(file, failure, paint)
      .flatMap(one => one.split('\n'))
      .map(one => `${' '.repeat(TIME_WIDTH + 7)}${one}`),
  ]
}

export function summary(results: readonly ScenarioResult[], tookMs: number, paint: Paint): string {
  const wrong = results.filter(({ problems }) => problems).length
  const failed = results.filter(({ ok }) => !ok).length - wrong
  const all = `${results.length} scenario${results.length === 1 ? '' : 's'}`
  const verdict =
    failed + wrong === 0
      ? paint.good(`${all} passed`)
      : paint.bad(
          [failed > 0 ? `${failed} failed` : '', wrong > 0 ? `${wrong} cannot be run` : '']
            .filter(part => part !== '')
            .join(', ')
            .replace(/^\d+/, first => `${first} of ${all}`),
        )
  return `\n${verdict} ${paint.dim(`in ${(tookMs / 1000).toFixed(2)} s`)}\n`
}
