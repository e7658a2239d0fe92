import type { AccountRuntime } from '../../engine/account-runtime.ts'
import type { Gateway } from '../../engine/gateway.ts'

interface Times {
  at: number[]
  seq: number
}

/** Of each account, so many of its last entries. */
const KEPT = 4096

/**
 * When entries were made by the wall's clock. A journal has only its account's time, or two runs of the same calls
 * would not give the same journal; whoever looks at one on a clock that jumps wants to know both.
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
    // Another history: its entries have the numbers of those whose times are known here.
    runtime.account.onAnew(() => Object.assign(times, { at: [], seq: 0 }))
    return times
  }

  /** Undefined for an entry of another process, or of long ago. */
  of(runtime: AccountRuntime, seq: number): number | undefined {
    const times = this.#times.get(runtime)
    return times && seq <= times.seq && seq > times.seq - KEPT ? times.at[seq % KEPT] : undefined
  }
}
