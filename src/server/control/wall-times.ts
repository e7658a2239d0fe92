import type { Gateway } from '../../engine/gateway.ts'
import type { Tenant } from '../../engine/tenant.ts'

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
  readonly #times = new WeakMap<Tenant, Times>()

  constructor(gateway: Gateway) {
    gateway.onEntry((tenant, { seq }) => {
      const times = this.#times.get(tenant) ?? this.#begin(tenant)
      times.at[seq % KEPT] = Date.now()
      times.seq = seq
    })
  }

  #begin(tenant: Tenant): Times {
    const times: Times = { at: [], seq: 0 }
    this.#times.set(tenant, times)
    // Another history: its entries have the numbers of those whose times are known here.
    tenant.account.onAnew(() => Object.assign(times, { at: [], seq: 0 }))
    return times
  }

  /** Undefined for an entry of another process, or of long ago. */
  of(tenant: Tenant, seq: number): number | undefined {
    const times = this.#times.get(tenant)
    return times && seq <= times.seq && seq > times.seq - KEPT ? times.at[seq % KEPT] : undefined
  }
}
