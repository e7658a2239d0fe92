import { type Rejection, rejection } from '../contract/errors.ts'
import type { Account } from './account.ts'
import type { Courier } from './courier.ts'
import { UnavailableError } from './unavailable.ts'

export interface AdvancePlan {
  /** Where to; or as far as there is anything to do. */
  readonly until: number | 'idle'
  /** The latest time that an idle journey may reach. */
  readonly limit: number
}

export interface AdvanceResult {
  readonly now: number
  readonly fired: number
  readonly idle: boolean
}

/**
 * Moves standing time from one due timer to the next, waiting at each for the deliveries it caused. On return the
 * account is quiet: all that was due has happened. One journey at a time.
 */
export class TimeTravel {
  #last: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly account: Account,
    private readonly courier: Courier,
  ) {}

  advance(plan: () => AdvancePlan): Promise<AdvanceResult | { refused: Rejection }> {
    return this.inTurn(() => this.#travel(plan()))
  }

  /** What sets the clock, or replaces all that is due, waits until a journey has arrived. */
  inTurn<T>(act: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(act)
    this.#last = turn.catch(() => {})
    return turn
  }

  /** Resolves when everything due by now has happened and no delivery is under way. */
  async quiet(): Promise<number> {
    const { account, courier } = this
    let fired = 0
    do {
      // Nothing fires while the disk takes nothing.
      if (account.stalled) throw new UnavailableError('The journal', undefined)
      fired += account.fireDue()
      await courier.idle()
      // Its merchant was removed: what is due will never happen.
      if (account.closed) return fired
    } while (courier.busy || this.#somethingIsDue())
    await account.journal.durable(account.world.seq)
    return fired
  }

  #somethingIsDue(): boolean {
    const { next } = this.account.world.timers
    return next !== undefined && next.dueAt <= this.account.now
  }

  async #travel({ until, limit }: AdvancePlan): Promise<AdvanceResult | { refused: Rejection }> {
    const { account } = this
    if (account.clock.mode !== 'virtual')
      return {
        refused: rejection('invalid_state', 'The clock of this account is real, so it cannot be advanced'),
      }
    const target = until === 'idle' ? limit : until
    let fired = await this.quiet()
    for (
      let { next } = account.world.timers;
      next && next.dueAt <= target && !account.closed;
      next = account.world.timers.next
    ) {
      account.clock.jump(next.dueAt)
      fired += await this.quiet()
    }
    const arrival = until === 'idle' ? account.now : Math.max(account.now, target)
    // Where time stands must survive a restart, also when nothing fired on the way.
    if (account.world.clock?.accountAt !== arrival && !account.closed) {
      const seq = account.setClock(account.clock.change({ mode: 'virtual', at: arrival }))
      await account.journal.durable(seq)
    }
    return { now: account.now, fired, idle: account.world.timers.size === 0 }
  }
}
