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
