import { otherWork } from './other-work.ts'
import { UnavailableError } from './unavailable.ts'

interface Waiter {
  readonly seq: number
  readonly resolve: () => void
  readonly reject: (cause: unknown) => void
}

/**
 * How long entries are collected that nobody waits for, such as the results of webhooks. A sync costs as much as several
 * entries.
 */
const UNNEEDED_MS = 5

/** How far a journal is safe, and who waits for more. */
export class SafePoint {
  seq = 0
  /** While writes fail, nobody begins to wait. */
  stopped = false
  /** Why the last failed write failed. */
  cause: unknown
  #waiters: Waiter[] = []
  #onNeed: (() => void) | undefined

  reached(seq: number): void {
    this.seq = seq
    const ready = this.#waiters
    this.#waiters = ready.filter(waiter => waiter.seq > seq)
    for (const waiter of ready) if (waiter.seq <= seq) waiter.resolve()
  }

  /** Resolves when the entry is safe; undefined if it already is. */
  durable(seq: number): Promise<void> | undefined {
    if (seq <= this.seq) return undefined
    if (this.stopped) return Promise.reject(new UnavailableError('The journal', this.cause))
    this.#onNeed?.()
    return new Promise((resolve, reject) => this.#waiters.push({ seq, resolve, reject }))
  }

  /** Resolves when somebody waits for an entry, or after some time. */
  async needed(): Promise<void> {
    if (this.#waiters.length > 0) return
    await new Promise<void>(resolve => {
      const timeout = setTimeout(resolve, UNNEEDED_MS)
      this.#onNeed = () => {
        clearTimeout(timeout)
        resolve()
      }
    })
    this.#onNeed = undefined
    // What the same turn of the event loop adds belongs to the batch.
    await otherWork()
  }

  failed(cause: UnavailableError): void {
    this.cause = cause.cause
    const lost = this.#waiters
    this.#waiters = []
    for (const waiter of lost) waiter.reject(cause)
  }
}
