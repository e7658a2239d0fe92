import { Listeners } from '../listeners.ts'

/** Milliseconds of a system clock. */
export type Reading = () => number

export interface RealClocks {
  /** The time of day. It continues while the machine sleeps, and can be set, even back. */
  readonly wall: Reading
  /** The time since some moment. It cannot be set, but may stand still while the machine sleeps. */
  readonly monotonic: Reading
}

export const SYSTEM_CLOCKS: RealClocks = { wall: Date.now, monotonic: () => performance.now() }

/** How often the wall clock is checked while something waits; a wake-up is late by at most this. */
const LOOK_MS = 1000
/** The difference between the two clocks that does not count as a jump. */
const SLACK_MS = 20

/**
 * The two system clocks, and the listeners for jumps of the wall clock. `setTimeout` uses the monotonic clock, so it
 * waits far too long after a laptop slept or the wall clock was set.
 */
export class RealTime implements RealClocks {
  readonly wall: Reading
  readonly monotonic: Reading
  readonly #listeners = new Set<() => void>()
  #looking: NodeJS.Timeout | undefined
  /** The last known difference between the wall clock and the monotonic clock. */
  #ahead = 0

  constructor({ wall, monotonic }: RealClocks) {
    this.wall = wall
    this.monotonic = monotonic
  }

  /** The wall clock is checked only while somebody listens. */
  onJump(listener: () => void): () => void {
    this.#listeners.add(listener)
    if (!this.#looking) {
      this.#ahead = this.wall() - this.monotonic()
      this.#looking = setInterval(() => this.#look(), LOOK_MS).unref()
    }
    return () => this.#stopListening(listener)
  }

  #stopListening(listener: () => void): void {
    this.#listeners.delete(listener)
    if (this.#listeners.size > 0) return
    clearInterval(this.#looking)
    this.#looking = undefined
  }

  #look(): void {
    const ahead = this.wall() - this.monotonic()
    if (Math.abs(ahead - this.#ahead) <= SLACK_MS) return
    this.#ahead = ahead
    for (const listener of [...this.#listeners]) listener()
  }
}

/** The receiver has no time left. */
export class TooLateError extends Error {
  /** Whether a request had been sent. */
  sent = false

  constructor(readonly limitMs: number) {
    super('too late')
  }
}

/** Tells work in progress that its owner stops. An `AbortController` for each account would take longer than its work. */
export class Stopping {
  readonly #listeners = new Listeners<[]>()
  #isBegun = false

  readonly onBegin = this.#listeners.add

  get isBegun(): boolean {
    return this.#isBegun
  }

  begin(): void {
    this.#isBegun = true
    this.#listeners.tell()
  }
}

/** Ends work when its time is up, or when everything stops. */
export class Deadline {
  readonly #timeouts: NodeJS.Timeout[] = []
  readonly #forget: () => void

  constructor(
    limitMs: number,
    stopping: Stopping,
    private readonly end: (reason: Error) => void,
  ) {
    this.endWithin(limitMs)
    const stop = () => this.end(new Error('stopped'))
    this.#forget = stopping.onBegin(stop)
    if (stopping.isBegun) stop()
  }

  /** Ends it earlier; a longer limit than before changes nothing. */
  endWithin(limitMs: number): void {
    this.#timeouts.push(setTimeout(() => this.end(new TooLateError(limitMs)), limitMs))
  }

  clear(): void {
    for (const timeout of this.#timeouts) clearTimeout(timeout)
    this.#forget()
  }
}

/** How long a receiver may take after others have used up the time. A receiver that works needs no longer. */
const GRACE_MS = 250

/**
 * How long one advance waits for webhook receivers in all. Time stands still meanwhile, so nothing else ends the wait:
 * without a limit, a receiver that hangs would hold up an advance by 15 s for each of its retries.
 */
export class ReceiverBudget {
  #spentMs = 0
  #since: number | undefined
  readonly #silent = new Set<string>()
  readonly #timedOut = new Set<string>()

  constructor(
    readonly limitMs: number,
    private readonly monotonic: Reading,
  ) {}

  /** Deliveries with an attempt that was given up. */
  get timedOut(): readonly string[] {
    return [...this.#timedOut]
  }

  /** How long a request to this endpoint may take. One that did not answer in time is not waited for again. */
  allowanceMs(endpoint: string): number {
    if (this.#silent.has(endpoint)) return 0
    const waitingMs = this.#since === undefined ? 0 : this.monotonic() - this.#since
    return Math.max(GRACE_MS, this.limitMs - this.#spentMs - waitingMs)
  }

  gaveUp(endpoint: string, delivery: string): void {
    this.#silent.add(endpoint)
    this.#timedOut.add(delivery)
  }

  /** Counts the time until it resolves. */
  async spend<T>(waiting: Promise<T>): Promise<T> {
    const since = this.monotonic()
    this.#since = since
    try {
      return await waiting
    } finally {
      this.#spentMs += this.monotonic() - since
      this.#since = undefined
    }
  }
}
