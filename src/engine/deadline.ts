/** The receiver has no time left. */
export class TooLateError extends Error {
  /** Whether a request had been sent. */
  sent = false

  constructor(readonly limitMs: number) {
    super('too late')
  }
}

/** Ends work when its time is up, or when everything stops. */
export class Deadline {
  readonly #timeouts: NodeJS.Timeout[] = []
  readonly #stop = () => this.end(new Error('stopped'))

  constructor(
    limitMs: number,
    private readonly stopping: AbortSignal,
    private readonly end: (reason: Error) => void,
  ) {
    this.endWithin(limitMs)
    stopping.addEventListener('abort', this.#stop)
    if (stopping.aborted) this.#stop()
  }

  /** Ends it earlier; a longer limit than before changes nothing. */
  endWithin(limitMs: number): void {
    this.#timeouts.push(setTimeout(() => this.end(new TooLateError(limitMs)), limitMs))
  }

  clear(): void {
    for (const timeout of this.#timeouts) clearTimeout(timeout)
    this.stopping.removeEventListener('abort', this.#stop)
  }
}
