export type Verdict = 'ok' | 'warning' | 'fault'

/** One thing that was looked at: how it is, and what to do about it. */
export interface Check {
  readonly check: string
  readonly verdict: Verdict
  readonly message: string
  readonly advice: string | null
  /** What the process ends with, where nothing worse was found. */
  readonly exit_code: number
  /** What a contract file would have to say for this to be as expected. */
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

interface Remedy {
  readonly advice: string
  readonly exitCode: number
}

export const fault = (check: string, message: string, { advice, exitCode }: Remedy): Check => ({
  ...GOOD,
  check,
  verdict: 'fault',
  message,
  advice,
  exit_code: exitCode,
})
