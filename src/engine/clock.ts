import type { ClockSetting } from '../domain/commands.ts'
import type { Reading, RealTime } from './real-time.ts'

/**
 * An account's time: a line over wall time, flat while it stands still. A wall that is set back does not hold it up:
 * from where it got to, it then goes on by the monotonic clock, until the wall has caught up.
 */
export class AccountClock {
  readonly #real: RealTime
  #setting: ClockSetting
  /** What it was told to follow; null for the wall. */
  #given: ClockSetting | null
  /** Where the monotonic clock goes on from. Not rounded, or a clock that is looked at often would stand still. */
  #reachedAt: number
  #reachedWhen: number

  constructor(real: RealTime, setting: ClockSetting | null) {
    this.#real = real
    this.#given = setting
    this.#setting = setting ?? realTime(real.wall)
    this.#reachedAt = this.#setting.accountAt
    this.#reachedWhen = real.monotonic()
  }

  /** Another one after each change. */
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
    const { mode, accountAt, wallAt, rate } = this.#setting
    if (mode === 'virtual') return accountAt
    const byWall = accountAt + (this.#real.wall() - wallAt) * rate
    // Read after the wall: a pause between the two must not put the account ahead of it.
    const when = this.#real.monotonic()
    const byElapsed = this.#reachedAt + (when - this.#reachedWhen) * rate
    if (byWall <= byElapsed) return Math.floor(byElapsed)
    this.#reachedAt = byWall
    this.#reachedWhen = when
    return Math.floor(byWall)
  }

  /** Its time while it runs; undefined while it stands. */
  get running(): number | undefined {
    return this.mode === 'real' ? this.now() : undefined
  }

  /** The setting that takes over from here: never earlier than now. */
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
    // Time that turns real again follows the wall, unless it has run ahead of it.
    const accountAt = at ?? (mode === 'real' && this.mode === 'virtual' ? Math.max(now, wallAt) : now)
    // Standing time has nothing to do with the wall, and its journal must repeat.
    return { mode, rate: rate ?? 1, accountAt, wallAt: mode === 'virtual' ? accountAt : wallAt }
  }

  /** Without a setting, time is the wall's. */
  follow(setting: ClockSetting | null): void {
    // What runs as it is told to has got somewhere, which must not be forgotten.
    if (this.mode === 'real' && isSame(setting, this.#given)) return
    this.#given = setting
    this.#setting = setting ?? realTime(this.#real.wall)
    this.#reachedAt = this.#setting.accountAt
    this.#reachedWhen = this.#real.monotonic()
  }

  /** Running time goes on from there at least: so far it had come, whatever the wall says now. */
  goOnFrom(at: number): void {
    if (this.now() >= at) return
    this.#reachedAt = at
    this.#reachedWhen = this.#real.monotonic()
  }

  /** Moves standing time. */
  jump(at: number): void {
    this.#setting = { ...this.#setting, accountAt: at }
  }

  /** Told when the wall jumped, and the account's time perhaps with it. */
  onJump(listener: () => void): () => void {
    return this.#real.onJump(listener)
  }

  /** How long the wall waits until the account's time gets there; undefined where it never does by itself. */
  waitFor(at: number): number | undefined {
    return this.mode === 'virtual' ? undefined : Math.max(0, Math.ceil((at - this.now()) / this.rate))
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
