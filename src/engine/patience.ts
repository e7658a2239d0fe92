import type { Reading } from './real-time.ts'

/** How long a receiver may take after others have used up the time. A receiver that works needs no longer. */
const GRACE_MS = 250

/**
 * How long one advance waits for webhook receivers in all. Time stands still meanwhile, so nothing else ends the wait:
 * without a limit, a receiver that hangs would hold up an advance by 15 s for each of its retries.
 */
export class Patience {
  #spentMs = 0
  #since: number | undefined
  readonly #silent = new Set<string>()
  readonly #timedOut = new Set<string>()

  constructor(
    readonly limitMs: number,
    private readonly monotonic: Reading,
  ) {}

  /** Deliveries with an attempt that was given up. */
  get timedOut(): readonly string[] {
    return [...this.#timedOut]
  }

  /** How long a request to this endpoint may take. One that did not answer in time is not waited for again. */
  allowanceMs(endpoint: string): number {
    if (this.#silent.has(endpoint)) return 0
    const waitingMs = this.#since === undefined ? 0 : this.monotonic() - this.#since
    return Math.max(GRACE_MS, this.limitMs - this.#spentMs - waitingMs)
  }

  gaveUp(endpoint: string, delivery: string): void {
    this.#silent.add(endpoint)
    this.#timedOut.add(delivery)
  }

  /** Counts the time until it resolves. */
  async spend<T>(waiting: Promise<T>): Promise<T> {
    const since = this.monotonic()
    this.#since = since
    try {
      return await waiting
    } finally {
      this.#spentMs += this.monotonic() - since
      this.#since = undefined
    }
  }
}
