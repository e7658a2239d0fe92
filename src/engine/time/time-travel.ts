import { type Rejection, rejection } from '../../contract/errors.ts'
import type { Account } from '../account/account.ts'
import { UnavailableError } from '../store/store-errors.ts'
import type { Courier } from '../webhooks/courier.ts'
import { type Reading, ReceiverBudget } from './real-time.ts'
import { Slice } from './scheduling.ts'

export interface AdvancePlan {
  /** The target time, or until no timer is left. */
  readonly until: number | 'idle'
  /** The latest time that an advance until idle may reach. */
  readonly limit: number
}

interface AdvanceResult {
  readonly now: number
  readonly fired: number
  readonly idle: boolean
  /** Deliveries whose receiver did not answer in time. */
  readonly timedOut: readonly string[]
}

interface AdvanceTerms {
  /** How long one advance waits for receivers in all, in wall time. */
  readonly receiversMs: number
  readonly monotonic: Reading
}

/** Stops between two looks at the clock. */
const STOPS_AT_ONCE = 8

/**
 * Moves a virtual clock from one due timer to the next, and waits at each for the resulting deliveries. On return the
 * account is quiet: everything due has happened. One advance runs at a time.
 */
export class TimeTravel {
  #last: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly account: Account,
    private readonly courier: Courier,
    private readonly terms: AdvanceTerms,
  ) {}

  advance(plan: () => AdvancePlan): Promise<AdvanceResult | { refused: Rejection }> {
    return this.exclusively(async () => {
      const budget = new ReceiverBudget(this.terms.receiversMs, this.terms.monotonic)
      this.courier.limitReceivers(budget)
      const fired: number[] = []
      const stopCounting = this.account.onEntry(({ seq, by }) => {
        // If an entry was discarded because the disk failed, another one gets its number.
        while ((fired.at(-1) ?? 0) >= seq) fired.pop()
        if (by === 'timer') fired.push(seq)
      })
      try {
        return await this.#travel(plan(), budget, fired)
      } finally {
        stopCounting()
        this.courier.limitReceivers(undefined)
      }
    })
  }

  /** Changes of the clock or of all timers wait until an advance has finished. */
  exclusively<T>(act: () => Promise<T>): Promise<T> {
    const done = this.#last.then(act)
    this.#last = done.catch(() => {})
    return done
  }

  /** Resolves when everything due by now has happened, no delivery is in progress, and all of it is on disk. */
  async quiet(): Promise<void> {
    await this.#quieten()
    await this.account.journal.durable(this.account.world.seq)
  }

  /** Resolves when everything due by now has happened and no delivery is in progress; undefined if that is so at once. */
  #quieten(budget?: ReceiverBudget): Promise<void> | undefined {
    const { account, courier } = this
    const isQuiet = !account.stalled && !account.catchUp() && !courier.busy && !this.#somethingIsDue()
    return isQuiet ? undefined : this.#untilQuiet(budget)
  }

  async #untilQuiet(budget: ReceiverBudget | undefined): Promise<void> {
    const { account, courier } = this
    do {
      // No timer fires while the disk cannot be written.
      if (account.stalled) throw new UnavailableError('The journal', account.journal.failure)
      await account.catchUp()
      if (courier.busy) await (budget ? budget.spend(courier.idle()) : courier.idle())
      // Its merchant was removed, so its timers never fire.
      if (account.closed) return
    } while (courier.busy || this.#somethingIsDue())
  }

  #somethingIsDue(): boolean {
    const { nextAt } = this.account.world.timers
    return nextAt !== undefined && nextAt <= this.account.now
  }

  async #travel(
    { until, limit }: AdvancePlan,
    budget: ReceiverBudget,
    firedAt: readonly number[],
  ): Promise<AdvanceResult | { refused: Rejection }> {
    const { account } = this
    if (account.clock.mode !== 'virtual')
      return {
        refused: rejection('invalid_state', 'The clock of this account is real, so it cannot be advanced'),
      }
    const target = until === 'idle' ? limit : until
    await this.#quieten(budget)
    let stops = 0
    const slice = new Slice()
    for (
      let { nextAt } = account.world.timers;
      nextAt !== undefined && nextAt <= target && !account.closed;
      nextAt = account.world.timers.nextAt
    ) {
      account.clock.jump(nextAt)
      const coming = this.#quieten(budget)
      if (coming) await coming
      if (++stops % STOPS_AT_ONCE === 0 && slice.isOver) await slice.next()
    }
    // One sync for many stops: no caller was answered yet, and the courier waits for the entries that it reports.
    const end = until === 'idle' ? account.now : Math.max(account.now, target)
    // The time must survive a restart, even if no timer fired.
    if (account.world.clock?.accountAt !== end && !account.closed) {
      account.setClock(account.clock.change({ mode: 'virtual', at: end }))
    }
    if (!account.closed) await account.journal.durable(account.world.seq)
    const fired = firedAt.filter(seq => seq <= account.world.seq).length
    return { now: account.now, fired, idle: account.world.timers.size === 0, timedOut: budget.timedOut }
  }
}
