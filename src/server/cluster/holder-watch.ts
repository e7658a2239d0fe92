import { setMaxListeners } from 'node:events'
import type { Holders } from '../../engine/holders.ts'

const LOOK_MS = 250
/** A call that waits for longer than most is looked at in each round; a very long one, such as a stream, in each fourth. */
const EARLY_ROUNDS = { first: 2, last: 40 }
const ROUNDS_OF_OTHERS = 4

interface OpenCall {
  readonly address: string
  readonly abort: () => void
  /** Whether it was found elsewhere before: the answer may have been on its way. */
  isLate?: boolean
  /** In how many rounds it was open. */
  rounds: number
}

/**
 * A process that is paused, or cut off, keeps its connections open and answers nothing. While calls about an account
 * are open, this asks which process holds it, and ends calls to any other.
 */
export class HolderWatch {
  readonly #open = new Map<string, Set<OpenCall>>()
  readonly #stopping = new AbortController()
  #timer: NodeJS.Timeout | undefined
  readonly #checking = new Set<string>()

  constructor(
    private readonly holders: Holders,
    private readonly self: () => string,
  ) {
    // The signal has one listener for each account that is asked about, which may be more than Node expects.
    setMaxListeners(0, this.#stopping.signal)
  }

  /** Calls `abort` when the account is held elsewhere than at the address. Returns what to call at the end. */
  watch(account: string, address: string, abort: () => void): () => void {
    const open: OpenCall = { address, abort, rounds: 0 }
    let ofAccount = this.#open.get(account)
    if (!ofAccount) {
      ofAccount = new Set()
      this.#open.set(account, ofAccount)
    }
    ofAccount.add(open)
    this.#timer ??= setInterval(() => this.#checkAll(), LOOK_MS).unref()
    return () => ofAccount.delete(open)
  }

  #checkAll(): void {
    for (const [account, open] of this.#open)
      if (open.size === 0) this.#open.delete(account)
      else if (isToCheck(open) && !this.#checking.has(account)) void this.#check(account, open)
    if (this.#open.size > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }

  async #check(account: string, open: ReadonlySet<OpenCall>): Promise<void> {
    this.#checking.add(account)
    try {
      // Only the calls open now: a later call may already go to the right process.
      const asked = [...open]
      const holder = (await this.holders.whoHolds(account, this.#stopping.signal)) ?? this.self()
      for (const call of asked) {
        if (call.address === holder) continue
        // A process that stops has given the account away, and still answers the calls that it had.
        const isToEnd = call.isLate && !(await this.holders.departure.isUnderWay(call.address))
        if (isToEnd && open.has(call)) call.abort()
        call.isLate = true
      }
    } catch {
      // The store does not answer now. The next check asks again.
    } finally {
      this.#checking.delete(account)
    }
  }

  close(): void {
    clearInterval(this.#timer)
    this.#stopping.abort()
  }
}

/** Counts the round for each of the calls. */
function isToCheck(calls: ReadonlySet<OpenCall>): boolean {
  let isDue = false
  for (const call of calls) {
    const round = ++call.rounds
    const isEarly = round >= EARLY_ROUNDS.first && round <= EARLY_ROUNDS.last
    if (isEarly || round % ROUNDS_OF_OTHERS === 0) isDue = true
  }
  return isDue
}
