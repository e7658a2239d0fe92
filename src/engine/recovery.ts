import { isOfDisk, UnavailableError } from './unavailable.ts'

/** How long a stalled account waits before it tries its disk again without a request. */
const RETRY_AFTER_MS = 1000

interface Steps {
  /** Discards all changes since the last safe entry. */
  rollBack(): Promise<void>
  /** Resolves if writes work again. */
  tryWriting(): Promise<void>
  /** Continues interrupted work, and executes timers that became due. */
  resume(): void
}

/**
 * The time between a failed write and the next one that works. Meanwhile nothing is decided, but safe records can be
 * read.
 */
export class Recovery {
  #untilRecovered: Promise<void> | undefined
  #trying: Promise<boolean> | undefined
  #retry: NodeJS.Timeout | undefined
  #stopped = false

  constructor(private readonly steps: Steps) {}

  get underWay(): boolean {
    return this.#untilRecovered !== undefined
  }

  begin(): void {
    this.#rollBack()
    this.#tryLater()
  }

  #rollBack(): Promise<void> {
    // The disk that cannot be written may not be readable either.
    const back = this.steps.rollBack().catch(cause => {
      throw isOfDisk(cause) ? new UnavailableError('The journal', cause) : cause
    })
    back.catch(() => {})
    this.#untilRecovered = back
    return back
  }

  /** Resolves when the world is that of the safe entries. For a while, even reading from the disk may fail. */
  async atSafeWorld(): Promise<void> {
    const before = this.#untilRecovered
    try {
      await before
    } catch {
      // Many may wait; one of them begins again.
      if (this.#untilRecovered === before) this.#rollBack()
      await this.#untilRecovered
    }
  }

  /**
   * Many requests may ask at once; the disk is tried only once for all of them. A try that was already in progress may
   * have failed on the disk as it was before.
   */
  async tryAgain(): Promise<boolean> {
    return (await this.#trying) || !this.underWay || this.#tryOnce()
  }

  #tryOnce(): Promise<boolean> {
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
      await this.atSafeWorld()
      await this.steps.tryWriting()
    } catch {
      this.#tryLater()
      return false
    }
    clearTimeout(this.#retry)
    this.#untilRecovered = undefined
    this.steps.resume()
    return true
  }

  #tryLater(): void {
    clearTimeout(this.#retry)
    if (!this.#stopped) this.#retry = setTimeout(() => this.tryAgain(), RETRY_AFTER_MS).unref()
  }
}
