import { parseRetryAfter } from '../contract/retry-after.ts'
import type { Answer } from './answer-type.ts'
import { readErrorBody } from './error-body.ts'
import { ConnectError } from './errors.ts'

/** How an attempt ended: something answered, or nothing did. */
export type Outcome = { readonly answer: Answer } | { readonly error: unknown }

export interface RetryPolicy {
  readonly retries: number
  readonly random: () => number
}

/** Whether making the call twice is as good as once: a read, or a call with a key. */
export interface Repeatability {
  readonly repeatable: boolean
  readonly keyed: boolean
}

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 8000
/** A server that asks for more than this is better reported than waited for. */
const LONGEST_RETRY_AFTER_MS = 60_000

const READS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Whether a call by this method changes nothing. */
export const isRead = (method: string): boolean => READS.has(method.toUpperCase())

const PASSING = new Set([429, 502, 503, 504])

export const isPassing = (status: number): boolean => PASSING.has(status)

/** How long to pause before the next attempt; null when this outcome is the last word. */
export function pauseAfter(
  outcome: Outcome,
  attempt: number,
  { retries, random }: RetryPolicy,
  may: Repeatability,
): number | null {
  if (attempt > retries || !isWorthRepeating(outcome, may)) return null
  // Full jitter: callers that failed together do not come back together.
  const backoff = random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1))
  const asked = 'answer' in outcome ? retryAfter(outcome.answer) : null
  if (asked === null) return backoff
  return asked > LONGEST_RETRY_AFTER_MS ? null : asked + random() * FIRST_PAUSE_MS
}

export function retryAfter({ headers }: Pick<Answer, 'headers'>): number | null {
  return parseRetryAfter(headers['retry-after'], Date.now())
}

function isWorthRepeating(outcome: Outcome, { repeatable, keyed }: Repeatability): boolean {
  if ('answer' in outcome) {
    if (isPassing(outcome.answer.status)) return repeatable
    return keyed && isInProgress(outcome.answer)
  }
  const { error } = outcome
  if (!(error instanceof ConnectError) || error.permanent) return false
  return repeatable || !error.sent
}

/** The first call with the key still runs: it will have an answer for this one. */
function isInProgress({ status, body }: Answer): boolean {
  if (status < 400 || typeof body !== 'object' || body === null) return false
  return readErrorBody(body, status).code === 'idempotency_in_progress'
}
