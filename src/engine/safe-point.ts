interface Waiter {
  readonly seq: number
  readonly resolve: () => void
  readonly reject: (cause: unknown) => void
}

/** How far a journal is safe on disk, and who waits for more. */
export class SafePoint {
  seq = 0
  #waiters: Waiter[] = []

  reached(seq: number): void {
    this.seq = seq
    const ready = this.#waiters
    this.#waiters = ready.filter(waiter => waiter.seq > seq)
    for (const waiter of ready) if (waiter.seq <= seq) waiter.resolve()
  }

  wait(seq: number): Promise<void> {
    return new Promise((resolve, reject) => this.#waiters.push({ seq, resolve, reject }))
  }

  failed(cause: unknown): void {
    const lost = this.#waiters
    this.#waiters = []
    for (const waiter of lost) waiter.reject(cause)
  }
}
