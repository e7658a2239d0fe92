import { UnavailableError } from './unavailable.ts'

interface Waiter {
  readonly seq: number
  readonly resolve: () => void
  readonly reject: (cause: unknown) => void
}

/** How far a journal is safe, and who waits for more. */
export class SafePoint {
  seq = 0
  /** While writes fail, nobody begins to wait. */
  stopped = false
  #waiters: Waiter[] = []

  reached(seq: number): void {
    this.seq = seq
    const ready = this.#waiters
    this.#waiters = ready.filter(waiter => waiter.seq > seq)
    for (const waiter of ready) if (waiter.seq <= seq) waiter.resolve()
  }

  /** Resolves when the entry is safe; undefined if it already is. */
  durable(seq: number): Promise<void> | undefined {
    if (seq <= this.seq) return undefined
    if (this.stopped) return Promise.reject(new UnavailableError('The journal', undefined))
    return new Promise((resolve, reject) => this.#waiters.push({ seq, resolve, reject }))
  }

  failed(cause: unknown): void {
    const lost = this.#waiters
    this.#waiters = []
    for (const waiter of lost) waiter.reject(cause)
  }
}
