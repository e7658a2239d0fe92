import { formatDuration } from '../contract/durations.ts'
import { FINAL_STATUSES } from '../contract/statuses.ts'
import type { Answer } from './answer-type.ts'
import { ApiError, NotJsonError, WaitTimeoutError } from './errors.ts'
import type { PaymentIntent, PaymentStatus } from './resources.ts'
import { isPassing, retryAfter, type Sleep } from './retry.ts'

export interface WaitOptions {
  /** The statuses to wait for; the final ones by default. Any final status ends the wait. */
  readonly until?: PaymentStatus | readonly PaymentStatus[] | undefined
  readonly timeoutMs?: number | undefined
  /** Called with the first state, and with each change. */
  readonly onUpdate?: ((payment: PaymentIntent, answer: Answer<PaymentIntent>) => void) | undefined
  readonly signal?: AbortSignal | undefined
}

export interface WaitTools {
  readonly get: () => Promise<Answer<PaymentIntent>>
  readonly sleep: Sleep
  readonly random: () => number
  /** Milliseconds of any monotonic clock. */
  readonly now: () => number
}

const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 5000
const GROWTH = 1.5
const PATIENCE_MS = 10 * 60_000

/** Polls until the payment has an expected status, or can no longer change. */
export async function waitFor(options: WaitOptions, tools: WaitTools): Promise<Answer<PaymentIntent>> {
  const { until = FINAL_STATUSES, timeoutMs = PATIENCE_MS, onUpdate, signal } = options
  const ends = new Set([until, FINAL_STATUSES].flat())
  const deadline = tools.now() + timeoutMs
  let shown: string | undefined
  for (let round = 0; ; round++) {
    const answer = await poll(tools)
    if ('payment' in answer) {
      const { payment } = answer
      if (payment.text !== shown) onUpdate?.(payment.body, payment)
      shown = payment.text
      if (ends.has(payment.body.status)) return payment
    }
    const left = deadline - tools.now()
    if (left <= 0) throw tooLate(answer, timeoutMs)
    await tools.sleep(Math.min(left, pauseOf(answer, round, tools.random)), signal)
  }
}

type PollResult =
  | { readonly payment: Answer<PaymentIntent> }
  | { readonly busy: Answer; readonly error: Error }

/** The server may be too busy for one call, but keep waiting. */
async function poll({ get }: WaitTools): Promise<PollResult> {
  try {
    return { payment: await get() }
  } catch (error) {
    const answered = error instanceof ApiError || error instanceof NotJsonError
    if (answered && isPassing(error.status)) return { busy: error.answer, error }
    throw error
  }
}

function pauseOf(result: PollResult, round: number, random: () => number): number {
  const asked = retryAfter('payment' in result ? result.payment : result.busy)
  const backoff = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * GROWTH ** round)
  // Half of it is random, so that many waiting clients do not poll in step.
  const jittered = backoff * (0.5 + random() / 2)
  return Math.max(asked ?? 0, jittered)
}

function tooLate(result: PollResult, timeoutMs: number): Error {
  if ('error' in result) return result.error
  const { id, status } = result.payment.body
  return new WaitTimeoutError(`${id} was still ${status} after ${formatDuration(timeoutMs)}`, result.payment)
}
