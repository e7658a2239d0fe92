import type { Reading } from '../real-time.ts'
import type { DatabaseAddress } from './database-address.ts'
import { startErrorOf } from './database-error.ts'

/** How long nothing must fail until an outage is over. On a full disk, some statements still succeed. */
const QUIET_MS = 5000
/** How many problems of one outage are reported. */
const MOST_SAID = 8

/**
 * Says in the log what is wrong with the database and what to do about it, each problem once, and later that it works
 * again. An outage may begin with a closed connection, and only the next attempt shows why.
 */
export class Outage {
  readonly #said = new Set<string>()
  #failedAt = 0

  constructor(
    private readonly address: DatabaseAddress,
    private readonly monotonic: Reading,
    private readonly warn: (message: string) => void,
  ) {}

  /** A statement failed. */
  failed(cause: unknown): void {
    this.#failedAt = this.monotonic()
    const { message } = startErrorOf(cause, this.address)
    if (this.#said.has(message) || this.#said.size >= MOST_SAID) return
    const isFirst = this.#said.size === 0
    this.#said.add(message)
    this.warn(isFirst ? `${message}. Until it works again, calls that need it get 503` : message)
  }

  /** The lease was renewed, so the database can be written. */
  worked(): void {
    if (this.#said.size === 0 || this.monotonic() - this.#failedAt < QUIET_MS) return
    this.#said.clear()
    this.warn(`${this.address.url} works again`)
  }
}
