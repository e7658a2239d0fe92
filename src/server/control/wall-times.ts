import type { AccountRuntime } from '../../engine/account-runtime.ts'
import type { Gateway } from '../../engine/gateway.ts'

interface Times {
  at: number[]
  seq: number
}

/** How many of the latest entries of each account are kept. */
const KEPT = 4096

/**
 * Remembers the wall time of recent entries. A journal has only the account's time, so that equal calls give equal
 * journals, but on a clock that jumps people want to see both.
 */
export class WallTimes {
  readonly #times = new WeakMap<AccountRuntime, Times>()

  constructor(gateway: Gateway) {
    gateway.onEntry((runtime, { seq }) => {
      const times = this.#times.get(runtime) ?? this.#begin(runtime)
      times.at[seq % KEPT] = Date.now()
      times.seq = seq
    })
  }

  #begin(runtime: AccountRuntime): Times {
    const times: Times = { at: [], seq: 0 }
    this.#times.set(runtime, times)
    // After a reset or an import, the same numbers belong to other entries.
    runtime.account.onReplaced(() => Object.assign(times, { at: [], seq: 0 }))
    return times
  }

  /** Undefined for an old entry, or one of an earlier process. */
  of(runtime: AccountRuntime, seq: number): number | undefined {
    const times = this.#times.get(runtime)
    return times && seq <= times.seq && seq > times.seq - KEPT ? times.at[seq % KEPT] : undefined
  }
}
