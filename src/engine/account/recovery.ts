import { isOfDisk, UnavailableError } from '../store/store-errors.ts'
import { yieldToEventLoop } from '../time/scheduling.ts'

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
    await yieldToEventLoop()
  }

  failed(cause: UnavailableError): void {
    this.cause = cause.cause
    const lost = this.#waiters
    this.#waiters = []
    for (const waiter of lost) waiter.reject(cause)
  }
}
