import type { ClockSetting } from '../domain/commands.ts'

/** Wall time enters the engine here, and where a webhook is signed. */
export type WallClock = () => number

/** An account's time: a line over wall time, flat while it stands still. */
export class AccountClock {
  #setting: ClockSetting

  constructor(
    private readonly wall: WallClock,
    setting: ClockSetting | null,
  ) {
    this.#setting = setting ?? realTime(wall)
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
    return mode === 'virtual' ? accountAt : Math.floor(accountAt + (this.wall() - wallAt) * rate)
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
    const wallAt = this.wall()
    // Time that turns real again follows the wall, unless it has run ahead of it.
    const accountAt = at ?? (mode === 'real' && this.mode === 'virtual' ? Math.max(now, wallAt) : now)
    // Standing time has nothing to do with the wall, and its journal must repeat.
    return { mode, rate: rate ?? 1, accountAt, wallAt: mode === 'virtual' ? accountAt : wallAt }
  }

  /** Without a setting, time is the wall's. */
  follow(setting: ClockSetting | null): void {
    this.#setting = setting ?? realTime(this.wall)
  }

  /** Moves standing time. */
  jump(at: number): void {
    this.#setting = { ...this.#setting, accountAt: at }
  }

  /** How long the wall waits until the account's time gets there; undefined where it never does by itself. */
  waitFor(at: number): number | undefined {
    return this.mode === 'virtual' ? undefined : Math.max(0, Math.ceil((at - this.now()) / this.rate))
  }
}

const realTime = (wall: WallClock): ClockSetting => ({
  mode: 'real',
  rate: 1,
  accountAt: wall(),
  wallAt: wall(),
})
