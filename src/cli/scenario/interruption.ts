import { endApplications } from '../../application/process-family.ts'
import { EXIT } from '../errors/exit-code.ts'

/** Ctrl-C, a request to end, and a terminal that was closed. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** A package manager passes on what the terminal sends to both, so only a later signal is a second one. */
const SECOND_AFTER_MS = 500

/**
 * The first signal ends what is played, with its applications and commands, and what was found until then is still
 * reported. The second one ends paysim at once, and so does a signal while nothing is played.
 */
export class Interruption {
  readonly #controller = new AbortController()
  #ending: Promise<void> | undefined
  #at = Number.POSITIVE_INFINITY
  #isOver = false

  constructor() {
    for (const signal of SIGNALS) process.removeAllListeners(signal).on(signal, () => this.#take())
  }

  #take(): void {
    const isSecond = performance.now() - this.#at > SECOND_AFTER_MS
    this.#ending ??= endApplications()
    if (isSecond || this.#isOver) void this.#ending.then(() => process.exit(EXIT.interrupted))
    if (this.signal.aborted) return
    this.#at = performance.now()
    this.#controller.abort()
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** The result of some work; undefined if a signal comes first. */
  ended<T>(work: Promise<T>): Promise<T | undefined> {
    const interrupted = new Promise<undefined>(resolve => {
      if (this.signal.aborted) resolve(undefined)
      else this.signal.addEventListener('abort', () => resolve(undefined), { once: true })
    })
    return Promise.race([interrupted, work])
  }

  /** Everything is reported and closed. If a signal came, nothing else may go on. */
  async over(): Promise<void> {
    this.#isOver = true
    if (!this.signal.aborted) return
    await this.#ending
    process.exit(EXIT.interrupted)
  }
}
