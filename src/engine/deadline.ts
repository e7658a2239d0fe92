/** The time for a receiver is up. */
export class TooLateError extends Error {}

/** Ends work when its time is up, or when everything stops. */
export class Deadline {
  readonly #timeout: NodeJS.Timeout
  readonly #stop = () => this.end(new Error('stopped'))

  constructor(
    limitMs: number,
    private readonly stopping: AbortSignal,
    private readonly end: (reason: Error) => void,
  ) {
    this.#timeout = setTimeout(() => end(new TooLateError('too late')), limitMs)
    stopping.addEventListener('abort', this.#stop)
    if (stopping.aborted) this.#stop()
  }

  clear(): void {
    clearTimeout(this.#timeout)
    this.stopping.removeEventListener('abort', this.#stop)
  }
}
