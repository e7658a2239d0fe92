import type { ServedAccounts } from '../account/served-accounts.ts'
import type { KnownAccounts } from '../store/store.ts'
import { UnavailableError } from '../store/store-errors.ts'
import { AccountClock } from './clock.ts'
import { Pacer } from './pacer.ts'
import type { RealTime } from './real-time.ts'
import { inParallel } from './scheduling.ts'

/** So many are opened in a few tenths of a second. */
const AT_THE_START = 100
const RETRY_AFTER_MS = 1000

const NOTHING_KNOWN: KnownAccounts = { sealedMs: 0, wakeMs: new Map() }

interface Waiting {
  readonly account: string
  /** By the wall clock. */
  readonly dueAt: number
}

/** Opens accounts that nobody calls, because a timer of theirs is due, or because nobody knows when one is. */
export class WakeUps {
  /** That of the server: it does not run back either. */
  readonly #clock: AccountClock
  readonly #pacer: Pacer
  /** The soonest is the last. */
  #waiting: Waiting[] = []
  /** Whether some could not be opened the last time, which was said then. */
  #failing = false
  #stopped = false

  constructor(
    time: RealTime,
    private readonly accounts: ServedAccounts,
    private readonly warn: (cause: unknown) => void,
  ) {
    this.#clock = new AccountClock(time, null)
    this.#pacer = new Pacer(this.#clock, () => this.#wake())
  }

  /**
   * Resolves when the first of the unknown accounts are open, so that a person who starts a server with few of them is told
   * at once what is wrong with them. With very many, calls need not wait until all have been looked at.
   */
  async begin({ sealedMs, wakeMs }: KnownAccounts = NOTHING_KNOWN): Promise<void> {
    this.#clock.continueFrom(sealedMs)
    for (const [account, dueAt] of wakeMs) if (dueAt !== null) this.#waiting.push({ account, dueAt })
    const unknown = this.accounts.all.flatMap(({ id }) => (wakeMs.has(id) ? [] : id))
    await this.#open(unknown.slice(0, AT_THE_START))
    void this.#open(unknown.slice(AT_THE_START))
    this.#watch()
  }

  #watch(): void {
    this.#waiting.sort((one, other) => other.dueAt - one.dueAt)
    if (!this.#stopped) this.#pacer.watch(this.#waiting.at(-1))
  }

  #wake(): void {
    const now = this.#clock.now()
    const due: string[] = []
    for (let next = this.#waiting.at(-1); next && next.dueAt <= now; next = this.#waiting.at(-1)) {
      due.push(next.account)
      this.#waiting.pop()
    }
    void this.#open(due)
    this.#pacer.watch(this.#waiting.at(-1))
  }

  async #open(accounts: readonly string[]): Promise<void> {
    if (accounts.length === 0) return
    const failed: string[] = []
    let reason: UnavailableError | undefined
    await inParallel(this.#unlessStopped(accounts), async account => {
      try {
        await this.accounts.find(account)?.open()
      } catch (cause) {
        // What is lasting is reported where it is found.
        if (!(cause instanceof UnavailableError)) return
        reason ??= cause
        failed.push(account)
      }
    })
    if (reason && !this.#failing) this.warn(reason)
    this.#failing = reason !== undefined
    if (failed.length > 0) this.#tryLater(failed)
  }

  *#unlessStopped(accounts: readonly string[]): Generator<string> {
    for (const account of accounts) {
      if (this.#stopped) return
      yield account
    }
  }

  #tryLater(accounts: readonly string[]): void {
    const dueAt = this.#clock.now() + RETRY_AFTER_MS
    this.#waiting = [...this.#waiting, ...accounts.map(account => ({ account, dueAt }))]
    this.#watch()
  }

  stop(): void {
    this.#stopped = true
    this.#pacer.stop()
  }
}
