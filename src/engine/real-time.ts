/** Milliseconds by a clock outside. */
export type Reading = () => number

export interface RealClocks {
  /** What people call the time. It goes on while the machine sleeps, and somebody may set it, also back. */
  readonly wall: Reading
  /** Since some moment. Nobody sets it, but it may stand still while the machine sleeps. */
  readonly monotonic: Reading
}

/** How often the wall is looked at while somebody waits: so late is a wake-up at most. */
const LOOK_MS = 1000
/** What the two clocks may differ by without anything having happened. */
const SLACK_MS = 20

/**
 * The two clocks outside, and who wants to know when the wall jumped: a wait by `setTimeout` goes by the monotonic
 * clock, so that a laptop that slept, or a wall that was set, makes it far too long.
 */
export class RealTime implements RealClocks {
  readonly wall: Reading
  readonly monotonic: Reading
  readonly #listeners = new Set<() => void>()
  #looking: NodeJS.Timeout | undefined
  /** By how much the wall is ahead of the monotonic clock, as last seen. */
  #ahead = 0

  constructor({ wall, monotonic }: RealClocks) {
    this.wall = wall
    this.monotonic = monotonic
  }

  /** Nothing looks at the wall while nobody listens. */
  onJump(listener: () => void): () => void {
    this.#listeners.add(listener)
    if (!this.#looking) {
      this.#ahead = this.wall() - this.monotonic()
      this.#looking = setInterval(() => this.#look(), LOOK_MS).unref()
    }
    return () => this.#silence(listener)
  }

  #silence(listener: () => void): void {
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
