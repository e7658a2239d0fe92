const TICK_MS = 50
const LATE_MS = 300

/** Notes when this process could not run for a while: then an application beside it could not either. */
export class SlownessWatch {
  #tickedAt = performance.now()
  #lateAt = Number.NEGATIVE_INFINITY
  readonly #timer = setInterval(() => this.#tick(), TICK_MS).unref()

  #tick(): void {
    const now = performance.now()
    if (now - this.#tickedAt > TICK_MS + LATE_MS) this.#lateAt = now
    this.#tickedAt = now
  }

  wasSlowSince(startedAt: number): boolean {
    this.#tick()
    return this.#lateAt >= startedAt
  }

  close(): void {
    clearInterval(this.#timer)
  }
}
