import { setMaxListeners } from 'node:events'
import { parseRetryAfter } from '../contract/limits.ts'
import { ConnectError, readErrorBody } from './errors.ts'
import type { Answer } from './transport/transport.ts'

/** The outcome of an attempt: an answer or an error. */
export type Outcome = { readonly answer: Answer } | { readonly error: unknown }

export interface RetryPolicy {
  readonly retries: number
  readonly random: () => number
}

/** Whether repeating the call has the same effect as one call: it is a read, or it has a key. */
export interface Repeatability {
  readonly repeatable: boolean
  readonly keyed: boolean
}

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 8000
/** If a server asks for a longer pause, report the error instead of waiting. */
const LONGEST_RETRY_AFTER_MS = 60_000

const READS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Whether calls with this method change nothing. */
export const isRead = (method: string): boolean => READS.has(method.toUpperCase())

const PASSING = new Set([429, 502, 503, 504])

export const isPassing = (status: number): boolean => PASSING.has(status)

/** The pause before the next attempt; null if this outcome is final. */
export function pauseAfter(
  outcome: Outcome,
  attempt: number,
  { retries, random }: RetryPolicy,
  may: Repeatability,
): number | null {
  if (attempt > retries || !isWorthRepeating(outcome, may)) return null
  // Full jitter, so that callers that failed together do not retry together.
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

/** The first call with this key is still running; its answer will also be the answer to this one. */
function isInProgress({ status, body }: Answer): boolean {
  if (status < 400 || typeof body !== 'object' || body === null) return false
  return readErrorBody(body, status).code === 'idempotency_in_progress'
}

/** Waits, and rejects at once when the signal aborts. Tests replace it. */
export type Sleep = (milliseconds: number, signal?: AbortSignal) => Promise<void>

export const sleep: Sleep = (milliseconds, signal) =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    allowManyListeners(signal)
    const aborted = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', aborted)
      resolve()
    }, milliseconds)
    signal?.addEventListener('abort', aborted, { once: true })
  })

/** Many parallel calls may wait for one signal, but Node 20 reports more than ten listeners as a leak. */
export function allowManyListeners(signal: AbortSignal | undefined): void {
  if (signal) setMaxListeners(0, signal)
}
