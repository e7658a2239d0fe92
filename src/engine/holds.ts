import type { HoldRecord, HoldRelease } from '../contract/control/faults.ts'
import { formatTimestamp } from '../contract/timestamps.ts'
import type { Reading } from './time/real-time.ts'

/** So many calls, answers and webhooks are held at a time, of all accounts together. What comes then is not held. */
const MOST_HELD = 100

/** A longer body is not shown. */
const MOST_SHOWN = 64 * 1024

/** What a fault of type `hold` holds. */
export type Held = Omit<HoldRecord, 'since' | 'until'>

/** How it ends: somebody lets it go, its time is over, or its caller has gone. */
export type Letting = HoldRelease | 'gone'

/** The id of what is held, which follows from the request or the delivery that it is about. */
export const holdId = (about: string) => `hold_${about.slice(about.indexOf('_') + 1)}`

interface Waiting {
  readonly account: string
  readonly record: HoldRecord
  readonly letGo: (how: Letting) => void
}

/** The calls, answers and webhooks of this process that wait until somebody lets them go. */
export class Holds {
  readonly #waiting = new Map<string, Waiting>()
  readonly #listeners = new Set<(account: string) => void>()
  #isOver = false

  constructor(private readonly wall: Reading) {}

  /**
   * Resolves when it may go on; undefined if it is not held. `whenGone` tells that nobody waits for it any more, and
   * returns what to call when that no longer matters.
   */
  hold(
    account: string,
    held: Held,
    forMs: number,
    whenGone: (listener: () => void) => () => void = () => () => {},
  ): Promise<Letting> | undefined {
    if (this.#isOver || this.#waiting.size >= MOST_HELD || this.#waiting.has(held.id)) return undefined
    const since = this.wall()
    const record = {
      ...held,
      since: formatTimestamp(since),
      until: formatTimestamp(since + forMs),
      body: (held.body?.length ?? 0) > MOST_SHOWN ? null : held.body,
    }
    return new Promise(resolve => {
      const letGo = (how: Letting) => {
        if (!this.#waiting.delete(held.id)) return
        clearTimeout(timer)
        forget()
        this.#tell(account)
        resolve(how)
      }
      this.#waiting.set(held.id, { account, record, letGo })
      const timer = setTimeout(letGo, forMs, {})
      const forget = whenGone(() => letGo('gone'))
      this.#tell(account)
    })
  }

  /** What is held of an account, the oldest first. */
  of(account: string): HoldRecord[] {
    return [...this.#waiting.values()].filter(each => each.account === account).map(({ record }) => record)
  }

  find(account: string, id: string): HoldRecord | undefined {
    const waiting = this.#waiting.get(id)
    return waiting?.account === account ? waiting.record : undefined
  }

  release(id: string, how: HoldRelease): void {
    this.#waiting.get(id)?.letGo(how)
  }

  /** Lets everything of an account go, because it is closed or has another history. */
  letGo(account: string): void {
    for (const waiting of [...this.#waiting.values()]) if (waiting.account === account) waiting.letGo({})
  }

  /** Lets everything go, and holds nothing any more. */
  end(): void {
    this.#isOver = true
    for (const { letGo } of [...this.#waiting.values()]) letGo({})
  }

  /** Called with the account of which something is held or let go. */
  onChange(listener: (account: string) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #tell(account: string): void {
    for (const listener of this.#listeners) listener(account)
  }
}
