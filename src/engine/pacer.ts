import type { ClockSetting } from '../domain/commands.ts'
import type { Timer } from '../domain/timers.ts'
import type { AccountClock } from './clock.ts'

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
