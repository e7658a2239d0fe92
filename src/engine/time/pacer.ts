import type { ClockSetting } from '../../domain/commands.ts'
import type { Timer } from '../../domain/timers.ts'
import type { AccountClock } from './clock.ts'
import { Slice } from './scheduling.ts'

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

/** Timers that fire at once when they are due. If there are more, the rest follows in slices. */
const AT_ONCE = 128
/** Timers of a slice between two looks at the clock. */
const UNTIL_A_LOOK = 8

interface FiringSettings {
  readonly isDue: () => boolean
  readonly fireNext: () => void
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
    const slice = new Slice()
    let rest: Promise<void>
    try {
      let count = 0
      // The records may have to be read from a slow disk.
      this.#fireWhile(() => count++ < AT_ONCE && (count % UNTIL_A_LOOK !== 0 || !slice.isOver))
      if (!this.settings.isDue()) return this.settings.onDone()
      rest = this.#fireRest(slice)
    } catch (cause) {
      rest = Promise.reject(cause)
    }
    this.#rest = rest.finally(() => {
      this.#rest = undefined
    })
    // Callers that wait for the rest get the error. Without any, the next caller meets the same timer.
    this.#rest.catch(() => {})
  }

  /** Fires what became due since its caller has waited. */
  finish(): void {
    if (this.#within) return
    this.#fireWhile(() => true)
    if (!this.#rest) this.settings.onDone()
  }

  /** Resolves when the rest has fired; undefined if there is none. */
  get rest(): Promise<void> | undefined {
    return this.#rest
  }

  async #fireRest(slice: Slice): Promise<void> {
    let count = 0
    do {
      await slice.next()
      this.#fireWhile(() => ++count % UNTIL_A_LOOK !== 0 || !slice.isOver)
    } while (this.settings.isDue())
    this.settings.onDone()
  }

  #fireWhile(goOn: () => boolean): void {
    this.#within = true
    try {
      while (this.settings.isDue() && goOn()) this.settings.fireNext()
    } finally {
      this.#within = false
    }
  }
}
