import type { ClockSetting } from '../../domain/commands.ts'
import type { Timer } from '../../domain/timers.ts'
import type { AccountClock } from './clock.ts'
import { yieldToEventLoop } from './scheduling.ts'

/** The longest delay of setTimeout. */
const LONGEST_WAIT_MS = 2 ** 31 - 1

/** Wakes somebody when the next timer is due by a running clock. */
export class Pacer {
  #timeout: NodeJS.Timeout | undefined
  #dueAt: number | undefined
  /** The clock setting at the start of the wait; with another one, the wait may be shorter. */
  #setting: ClockSetting | undefined

  #stopListening: (() => void) | undefined

  constructor(
    private readonly clock: AccountClock,
    private readonly wake: () => void,
  ) {}

  watch(next: Pick<Timer, 'dueAt'> | undefined): void {
    const { setting } = this.clock
    if (next?.dueAt === this.#dueAt && this.#timeout && setting === this.#setting) return
    this.stop()
    const waitMs = next && this.clock.waitFor(next.dueAt)
    if (next === undefined || waitMs === undefined) return
    this.#dueAt = next.dueAt
    this.#setting = setting
    const wake = () => {
      this.stop()
      this.wake()
    }
    this.#timeout = setTimeout(wake, Math.min(waitMs, LONGEST_WAIT_MS))
    this.#stopListening = this.clock.onJump(wake)
  }

  stop(): void {
    clearTimeout(this.#timeout)
    this.#stopListening?.()
    this.#stopListening = undefined
    this.#timeout = undefined
    this.#dueAt = undefined
  }
}

/** Timers that fire without a pause: a few milliseconds of work. */
const AT_ONCE = 128

interface FiringSettings {
  /** The next timer that is due. */
  readonly due: () => Timer | undefined
  readonly fire: (timer: Timer) => void
  /** Called when nothing more is due. */
  readonly onDone: () => void
}

/** Fires an account's due timers in order. When there are many, other accounts get their turn in between. */
export class Firing {
  #within = false
  #rest: Promise<void> | undefined

  constructor(private readonly settings: FiringSettings) {}

  /** Fires what is due; if that is much, the rest follows in slices. */
  begin(): void {
    if (this.#within || this.#rest) return
    this.#fire(AT_ONCE)
    if (!this.settings.due()) return this.settings.onDone()
    this.#rest = this.#fireRest().finally(() => {
      this.#rest = undefined
    })
    // Callers that wait for the rest get the error. Without any, the next caller meets the same timer.
    this.#rest.catch(() => {})
  }

  /** Fires everything due, for callers that cannot wait. */
  finish(): void {
    if (this.#within) return
    this.#fire(Number.POSITIVE_INFINITY)
    if (!this.#rest) this.settings.onDone()
  }

  /** Resolves when the rest has fired; undefined if there is none. */
  get rest(): Promise<void> | undefined {
    return this.#rest
  }

  async #fireRest(): Promise<void> {
    do {
      await yieldToEventLoop()
      this.#fire(AT_ONCE)
    } while (this.settings.due())
    this.settings.onDone()
  }

  #fire(most: number): void {
    this.#within = true
    try {
      for (let nth = 0; nth < most; nth++) {
        const timer = this.settings.due()
        if (!timer) return
        this.settings.fire(timer)
      }
    } finally {
      this.#within = false
    }
  }
}
