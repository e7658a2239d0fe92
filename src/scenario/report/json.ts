import { ABSENT } from '../expect/value.ts'
import type { ScenarioResult } from '../run/run-scenario.ts'
import type { StepRecord } from '../run/step-result.ts'

/** The JSON report: everything that is known about the runs. */
export function json(results: readonly ScenarioResult[]): string {
  const failed = results.filter(({ ok }) => !ok).length
  const report = { ok: failed === 0, scenarios: results.length, failed, results: results.map(resultView) }
  return `${JSON.stringify(report, (_, value) => (value === ABSENT ? { absent: true } : value), 2)}\n`
}

const resultView = ({
  file,
  name,
  repetition,
  seed,
  problems,
  ok,
  tookMs,
  passedMs,
  virtual,
  steps,
}: ScenarioResult) => ({
  file,
  name,
  ...(repetition ? { turn: repetition.nth, of: repetition.of } : {}),
  ...(seed === undefined ? {} : { seed }),
  ok,
  ...(problems ? { problems: problems.map(({ line, column, message }) => ({ line, column, message })) } : {}),
  took_ms: rounded(tookMs),
  clock: virtual ? 'virtual' : 'real',
  passed_ms: passedMs,
  steps: steps.map(stepView),
})

const stepView = ({ verb, title, line, column, depth, sinceStartMs, tookMs, failure }: StepRecord) => ({
  step: verb,
  title,
  line,
  column,
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
}: NonNullable<StepRecord['failure']>) => ({
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
