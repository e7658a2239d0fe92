import { setMaxListeners } from 'node:events'
import type { Holders } from '../../engine/holders.ts'

const CHECK_MS = 1000

interface OpenCall {
  readonly address: string
  readonly abort: () => void
  /** Whether it was found elsewhere before: the answer may have been on its way. */
  isLate?: boolean
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
    const open: OpenCall = { address, abort }
    let ofAccount = this.#open.get(account)
    if (!ofAccount) {
      ofAccount = new Set()
      this.#open.set(account, ofAccount)
    }
    ofAccount.add(open)
    this.#timer ??= setInterval(() => this.#checkAll(), CHECK_MS).unref()
    return () => ofAccount.delete(open)
  }

  #checkAll(): void {
    for (const [account, open] of this.#open)
      if (open.size === 0) this.#open.delete(account)
      else if (!this.#checking.has(account)) void this.#check(account, open)
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
      for (const call of asked)
        if (call.address !== holder && open.has(call)) {
          if (call.isLate) call.abort()
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
