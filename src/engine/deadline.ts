/**
 * Ends work when its time is up or when everything stops. (AbortSignal.any over AbortSignal.timeout would say the
 * same, but on Node 20 such a signal can be collected as garbage before it fires.)
 */
export class Deadline {
  readonly #controller = new AbortController()
  readonly #timeout: NodeJS.Timeout
  readonly #stop = () => this.#controller.abort()

  constructor(
    limitMs: number,
    private readonly stopping: AbortSignal,
  ) {
    this.#timeout = setTimeout(
      () => this.#controller.abort(new DOMException('Too late', 'TimeoutError')),
      limitMs,
    )
    stopping.addEventListener('abort', this.#stop)
    if (stopping.aborted) this.#stop()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  clear(): void {
    clearTimeout(this.#timeout)
    this.stopping.removeEventListener('abort', this.#stop)
  }
}
