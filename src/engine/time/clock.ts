import { LATEST, shownAt } from '../../contract/timestamps.ts'
import type { ClockSetting } from '../../domain/commands.ts'
import type { Reading, RealTime } from './real-time.ts'

/**
 * An account's time: a line over wall time, flat while the clock stands still. If the wall clock is set back, time
 * continues by the monotonic clock until the wall clock has caught up. It stands still at the last time that can be
 * shown, and no setting of it leads out of the times that can be shown.
 */
export class AccountClock {
  readonly #real: RealTime
  #setting: ClockSetting
  /** The setting that it follows; null for the wall clock. */
  #given: ClockSetting | null
  /**
   * The time at which the monotonic clock takes over. It is not rounded; otherwise a clock that is read often would
   * stand still.
   */
  #reachedAt: number
  #reachedWhen: number

  constructor(real: RealTime, setting: ClockSetting | null) {
    this.#real = real
    this.#given = setting
    this.#setting = setting ?? realTime(real.wall)
    this.#reachedAt = this.#setting.accountAt
    this.#reachedWhen = real.monotonic()
  }

  /** A new object after each change. */
  get setting(): ClockSetting {
    return this.#setting
  }

  get mode(): ClockSetting['mode'] {
    return this.#setting.mode
  }

  get rate(): number {
    return this.#setting.rate
  }

  now(): number {
    if (this.mode === 'virtual') return this.#setting.accountAt
    const { rate } = this
    const byWall = this.#by(this.#real.wall())
    // Read after the wall clock, so that a pause between the two cannot put the account ahead.
    const when = this.#real.monotonic()
    const byElapsed = shownAt(this.#reachedAt + (when - this.#reachedWhen) * rate)
    if (byWall <= byElapsed) return Math.floor(byElapsed)
    this.#reachedAt = byWall
    this.#reachedWhen = when
    return Math.floor(byWall)
  }

  #by(wall: number): number {
    const { accountAt, wallAt, rate } = this.#setting
    return shownAt(accountAt + (wall - wallAt) * rate)
  }

  /** The account's time when a wall clock shows this. That may be the wall clock of the process that held it before. */
  atWall(wall: number): number {
    return this.mode === 'virtual' ? this.#setting.accountAt : Math.floor(this.#by(wall))
  }

  /** The time of a running clock; undefined while it stands still. */
  get running(): number | undefined {
    return this.mode === 'real' ? this.now() : undefined
  }

  /** The setting from now on, never earlier than now. */
  change({
    mode,
    at,
    rate,
  }: {
    mode: ClockSetting['mode']
    at?: number | undefined
    rate?: number | undefined
  }): ClockSetting {
    const now = this.now()
    const wallAt = this.#real.wall()
    // A clock that becomes real follows the wall clock, unless it is ahead of it.
    const accountAt = shownAt(
      at ?? (mode === 'real' && this.mode === 'virtual' ? Math.max(now, wallAt) : now),
    )
    // A clock that stands still does not depend on the wall clock, because its journal must repeat.
    return { mode, rate: rate ?? 1, accountAt, wallAt: mode === 'virtual' ? accountAt : wallAt }
  }

  /** Without a setting, the clock follows the wall clock. */
  follow(setting: ClockSetting | null): void {
    // A running clock with a setting has a current time, which must be kept.
    if (this.mode === 'real' && isSame(setting, this.#given)) return
    this.#given = setting
    this.#setting = setting ?? realTime(this.#real.wall)
    this.#reachedAt = this.#setting.accountAt
    this.#reachedWhen = this.#real.monotonic()
  }

  /** A running clock continues at least from there, whatever the wall clock says now. */
  continueFrom(at: number): void {
    if (this.now() >= at) return
    this.#reachedAt = at
    this.#reachedWhen = this.#real.monotonic()
  }

  /** Moves a clock that stands still. */
  jump(at: number): void {
    const { mode, rate, wallAt } = this.#setting
    this.#setting = { mode, rate, accountAt: at, wallAt }
  }

  /** Called when the wall clock jumped, and the account's time possibly with it. */
  onJump(listener: () => void): () => void {
    return this.#real.onJump(listener)
  }

  /** How much wall time passes until the account's time gets there; undefined if it never does. */
  waitFor(at: number): number | undefined {
    if (this.mode === 'virtual' || at > LATEST) return undefined
    // At a very small rate, it would be infinite.
    return Math.min(Math.max(0, Math.ceil((at - this.now()) / this.rate)), Number.MAX_SAFE_INTEGER)
  }
}

const isSame = (one: ClockSetting | null, other: ClockSetting | null) =>
  one?.mode === other?.mode &&
  one?.rate === other?.rate &&
  one?.accountAt === other?.accountAt &&
  one?.wallAt === other?.wallAt

const realTime = (wall: Reading): ClockSetting => {
  const now = wall()
  return { mode: 'real', rate: 1, accountAt: now, wallAt: now }
}
