/** How long a stalled account waits before it tries its disk again, where nobody asks. */
const RETRY_AFTER_MS = 1000

interface Steps {
  /** Forgets what was decided since the last safe entry: it never happened. */
  rollBack(): Promise<void>
  /** Resolves if the disk takes writes again. */
  tryWriting(): Promise<void>
  /** Goes on with work that was under way, and with timers that came due. */
  resume(): void
}

/** From a write that failed to the next one that works. In between nothing is decided, and what is safe can be read. */
export class Recovery {
  #backAtSafeWorld: Promise<void> | undefined
  #trying: Promise<boolean> | undefined
  #retry: NodeJS.Timeout | undefined
  #stopped = false

  constructor(private readonly steps: Steps) {}

  get underWay(): boolean {
    return this.#backAtSafeWorld !== undefined
  }

  get backAtSafeWorld(): Promise<void> | undefined {
    return this.#backAtSafeWorld
  }

  begin(): void {
    this.#rollBack()
    this.#tryLater()
  }

  #rollBack(): Promise<void> {
    const back = this.steps.rollBack()
    back.catch(() => {})
    this.#backAtSafeWorld = back
    return back
  }

  /** A disk may be gone for a while, to read from as well. */
  async #rollBackAgainIfNeeded(): Promise<void> {
    try {
      await this.#backAtSafeWorld
    } catch {
      await this.#rollBack()
    }
  }

  /** Many may ask at once; the disk is tried once for all of them. */
  tryAgain(): Promise<boolean> {
    this.#trying ??= this.#try().finally(() => {
      this.#trying = undefined
    })
    return this.#trying
  }

  stop(): void {
    this.#stopped = true
    clearTimeout(this.#retry)
  }

  async #try(): Promise<boolean> {
    try {
      await this.#rollBackAgainIfNeeded()
      await this.steps.tryWriting()
    } catch {
      this.#tryLater()
      return false
    }
    clearTimeout(this.#retry)
    this.#backAtSafeWorld = undefined
    this.steps.resume()
    return true
  }

  #tryLater(): void {
    clearTimeout(this.#retry)
    if (!this.#stopped) this.#retry = setTimeout(() => this.tryAgain(), RETRY_AFTER_MS).unref()
  }
}
