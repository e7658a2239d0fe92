import type { Screen } from '../output/screen.ts'
import { visible, wrapTo } from '../output/text.ts'
import type { View } from '../output/view.ts'

/** The names are on the wire. People read "problem" for `fault`. */
type Verdict = 'ok' | 'warning' | 'fault'

/** One thing that was checked, the result, and what to do about it. */
export interface Check {
  readonly check: string
  readonly verdict: Verdict
  readonly message: string
  readonly advice: string | null
  /** The exit code, unless there is a worse problem. */
  readonly exit_code: number
  /** The value for a contract file that describes this server. */
  readonly override: string | null
}

const GOOD = { advice: null, exit_code: 0, override: null } as const

export const ok = (check: string, message: string): Check => ({ ...GOOD, check, verdict: 'ok', message })

export const warning = (check: string, message: string, advice: string): Check => ({
  ...GOOD,
  check,
  verdict: 'warning',
  message,
  advice,
})

interface Consequence {
  readonly advice: string
  readonly exitCode: number
}

export const problem = (check: string, message: string, { advice, exitCode }: Consequence): Check => ({
  ...GOOD,
  check,
  verdict: 'fault',
  message,
  advice,
  exit_code: exitCode,
})

/** All checks, and the overall result. */
interface Report {
  readonly verdict: Verdict
  readonly exit_code: number
  readonly checks: readonly Check[]
  /** What to add to the contract file, so that a simulator behaves like this server. */
  readonly overrides: Readonly<Record<string, string>>
}

/** The exit code of the problem that blocks most: no answer, then refused keys. */
const WORST_FIRST = [7, 3, 1, 2]

export function reportOf(checks: readonly Check[]): Report {
  const codes = checks.filter(({ verdict }) => verdict === 'fault').map(({ exit_code }) => exit_code)
  const worst = WORST_FIRST.find(code => codes.includes(code)) ?? codes[0]
  const hasWarning = checks.some(({ verdict }) => verdict === 'warning')
  return {
    verdict: worst !== undefined ? 'fault' : hasWarning ? 'warning' : 'ok',
    exit_code: worst ?? 0,
    checks,
    overrides: Object.fromEntries(
      checks.flatMap(({ check, override }) => (override === null ? [] : [[check, override]])),
    ),
  }
}

const MARKS = { ok: '✓', warning: '!', fault: '✗' } as const
const TONES = { ok: 'green', warning: 'yellow', fault: 'red' } as const

export const reportView: View<Report> = {
  human: ({ checks, verdict }, screen) => {
    const width = checks.reduce((most, { check }) => Math.max(most, check.length), 0)
    return [...checks.map(check => lines(check, width, screen)), '', summary(verdict, checks, screen)].join(
      '\n',
    )
  },
  rows: ({ checks }) => checks,
  csv: ['check', 'verdict', 'message', 'advice', 'exit_code', 'override'],
}

const GAP = 2
const LEAST = 24

function lines(
  { check, verdict, message, advice }: Check,
  labels: number,
  { paint, width, widthOf }: Screen,
): string {
  const before = GAP + labels + GAP
  const room = Math.max(LEAST, width - before)
  const [first = '', ...rest] = message.split('\n').flatMap(line => wrapTo(visible(line), room, widthOf))
  const below = advice === null ? [] : wrapTo(`→ ${visible(advice)}`, room, widthOf)
  const tone = paint[TONES[verdict]]
  return [
    `${tone(MARKS[verdict])} ${paint.dim(check.padEnd(labels))}${' '.repeat(GAP)}${verdict === 'ok' ? first : tone(first)}`,
    ...[...rest, ...below].map(line => `${' '.repeat(before)}${line}`),
  ].join('\n')
}

function summary(verdict: Verdict, checks: readonly Check[], { paint }: Screen): string {
  const count = (kind: Verdict) => checks.filter(check => check.verdict === kind).length
  if (verdict === 'ok') return paint.green('No problems found.')
  const counts = [some(count('fault'), 'problem'), some(count('warning'), 'warning')].filter(
    text => text !== '',
  )
  return paint[TONES[verdict]](`${counts.join(', ')}.`)
}

const some = (count: number, what: string) => (count === 0 ? '' : `${count} ${what}${count === 1 ? '' : 's'}`)
