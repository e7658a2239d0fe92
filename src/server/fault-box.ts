import { draw, type FaultPlan, type HttpFault, isOpen } from '../domain/faults/fault.ts'
import { type Count, countMatch, firstMatch, UNCOUNTED } from '../domain/match-limits.ts'
import type { AccountRuntime } from '../engine/account-runtime.ts'

/** The faults of an account's calls, with their counts since they were set or the server started. */
export class FaultBox {
  #plan: FaultPlan | undefined
  #drawn = 0
  readonly #counts = new Map<number, Count>()

  constructor(private readonly runtime: AccountRuntime) {}

  /** Whether no call has a fault. */
  get isEmpty(): boolean {
    return this.#current().http.length === 0
  }

  /** The fault for a call of the operation with these names, if any. */
  next(names: readonly string[]): HttpFault | undefined {
    const { http } = this.#current()
    const { now } = this.runtime.account
    const fits = ({ on, window }: HttpFault) => (on === '*' || names.includes(on)) && isOpen(window, now)
    const match = firstMatch(http, fits, this.#counts, this.chance)
    countMatch(this.#counts, match)
    return match.taken
  }

  delayOf(fault: HttpFault): number {
    return draw(fault.delay, this.chance)
  }

  /** How often each fault happened, in the order in which they were given. */
  used(): number[] {
    const { data } = this.#current()
    const { faultCounts } = this.runtime.account.world
    let [calls, webhooks] = [0, 0]
    return data.map(({ on }) => {
      const count = on === 'webhook' ? faultCounts.get(webhooks++) : this.#counts.get(calls++)
      return (count ?? UNCOUNTED).used
    })
  }

  /** The same seed and the same calls get the same faults. */
  readonly chance = (): number => this.runtime.account.chance(`fault ${this.#drawn++}`)

  #current(): FaultPlan {
    const { faults } = this.runtime.account.world
    if (faults !== this.#plan) {
      this.#plan = faults
      this.#drawn = 0
      this.#counts.clear()
    }
    return faults
  }
}

export class FaultBoxes {
  readonly #boxes = new WeakMap<AccountRuntime, FaultBox>()

  of(runtime: AccountRuntime): FaultBox {
    let box = this.#boxes.get(runtime)
    if (!box) {
      box = new FaultBox(runtime)
      this.#boxes.set(runtime, box)
    }
    return box
  }
}
