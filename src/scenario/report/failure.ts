import { ABSENT, type Mismatch } from '../expect/match.ts'
import { describeProblem, type FileProblem } from '../load/problems.ts'
import type { ScenarioResult } from '../run/run-scenario.ts'
import type { StepFailure } from '../run/step-result.ts'
import type { Sent } from '../run/wire.ts'

/** Styles for the parts of a failure; on a terminal they are colours. */
export interface Paint {
  readonly bad: (text: string) => string
  readonly good: (text: string) => string
  readonly dim: (text: string) => string
  readonly bold: (text: string) => string
}
export const PLAIN: Paint = { bad: text => text, good: text => text, dim: text => text, bold: text => text }

/** What a report says about a failed scenario: a summary line, a position, and the details. */
interface FailureSummary {
  readonly message: string
  readonly line: number
  readonly column: number
  readonly lines: readonly string[]
}

export const failedStep = ({ steps }: ScenarioResult) => steps.find(step => step.failure !== undefined)

export function failureSummaryOf(result: ScenarioResult): FailureSummary | undefined {
  const { file, problems } = result
  if (problems) {
    const { line = 1, column = 1 } = problems[0] ?? {}
    return { message: headOf(problems), line, column, lines: problems.map(describeProblem) }
  }
  const step = failedStep(result)
  if (!step?.failure) return undefined
  const { line, column } = step.failure
  return { message: step.title, line, column, lines: failureLines(file, step.failure) }
}

export const headOf = (problems: readonly FileProblem[]) =>
  `cannot be run: ${problems.length === 1 ? '1 problem' : `${problems.length} problems`}`

/** The title of a run, to tell it from other runs. */
export const runTitle = ({ name, repetition, seed }: ScenarioResult) =>
  repetition
    ? `${name} (${repetition.nth} of ${repetition.of}${seed === undefined ? '' : `, seed ${seed}`})`
    : name

/** The expected and actual values, the request, the answer, and the end of the record's history. */
export function failureLines(file: string, failure: StepFailure, paint: Paint = PLAIN): string[] {
  const lines = mismatchLines(file, failure, paint)
  if (failure.sent) lines.push(paint.dim('request'), ...requestLines(failure.sent).map(line => `  ${line}`))
  if (failure.answer) {
    const { status, text, lost } = failure.answer
    lines.push(paint.dim('answer'), `  ${lost === undefined ? `${status} ${clip(text)}` : `none: ${lost}`}`)
  }
  if (failure.history.length > 0)
    lines.push(paint.dim('history'), ...failure.history.map(line => `  ${line}`))
  if (failure.output && failure.output.length > 0)
    lines.push(paint.dim('output of the application'), ...failure.output.map(line => `  ${line}`))
  return lines
}

export const mismatchLines = (file: string, { mismatches }: StepFailure, paint: Paint = PLAIN): string[] =>
  mismatches.flatMap(mismatch => {
    const { line, column, subject, why } = mismatch
    const what = [paint.bold(subject), why].filter(word => word).join(' ')
    return [
      `${what}  ${paint.dim(`${file}:${line}:${column}`)}`,
      ...diff(mismatch).map(one => `  ${painted(one, paint)}`),
    ]
  })

function painted({ sign, text }: DiffLine, { bad, good }: Paint): string {
  const line = `${sign} ${text}`
  return sign === '-' ? good(line) : sign === '+' ? bad(line) : line
}

/** Redacts credentials. */
function requestLines({ method, url, headers, body }: Sent): string[] {
  const shownHeaders = Object.entries(headers)
    .filter(([name]) => name !== 'authorization')
    .map(([name, value]) => `${name}: ${value}`)
  const text = Buffer.isBuffer(body) ? `(${body.length} bytes)` : (body ?? '')
  return [`${method} ${url}`, ...shownHeaders, ...(text === '' ? [] : [clip(text)])]
}

const LONGEST = 600

/** Formats a value for people. */
function shown(value: unknown): string {
  if (value === ABSENT) return '(missing)'
  if (value === undefined) return '(not JSON)'
  if (typeof value === 'string') return clip(value)
  return clip(JSON.stringify(value, null, 2))
}

const clip = (text: string, most = LONGEST) => (text.length > most ? `${text.slice(0, most)}…` : text)

interface DiffLine {
  readonly sign: '-' | '+' | ' '
  readonly text: string
}

/** The line-by-line difference between expected and actual. */
function diff({ expected, actual }: Mismatch): DiffLine[] {
  const a = shown(expected).split('\n')
  const b = shown(actual).split('\n')
  const table = longestCommon(a, b)
  const lines: DiffLine[] = []
  let [i, j] = [0, 0]
  while (i < a.length || j < b.length) {
    const [left, right] = [a[i], b[j]]
    if (left !== undefined && left === right) {
      lines.push({ sign: ' ', text: left })
      i++
      j++
    } else if (left !== undefined && (right === undefined || at(table, i + 1, j) >= at(table, i, j + 1))) {
      lines.push({ sign: '-', text: left })
      i++
    } else {
      lines.push({ sign: '+', text: right ?? '' })
      j++
    }
  }
  return lines
}

const at = (table: readonly (readonly number[])[], i: number, j: number) => table[i]?.[j] ?? 0

function longestCommon(a: readonly string[], b: readonly string[]): number[][] {
  const table = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0))
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--) {
      const row = table[i]
      if (row)
        row[j] =
          a[i] === b[j] ? at(table, i + 1, j + 1) + 1 : Math.max(at(table, i + 1, j), at(table, i, j + 1))
    }
  return table
}
