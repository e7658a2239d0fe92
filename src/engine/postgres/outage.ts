import type { Reading } from '../real-time.ts'
import type { DatabaseAddress } from './database-address.ts'
import { startErrorOf } from './database-error.ts'

/** How long nothing must fail until an outage is over. On a full disk, some statements still succeed. */
const QUIET_MS = 5000

/** Says in the log once what is wrong with the database and what to do about it, and later that it works again. */
export class Outage {
  #said: string | undefined
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
    if (this.#said === undefined) this.warn(`${message}. Until it works again, calls that need it get 503`)
    this.#said ??= message
  }

  /** The lease was renewed, so the database can be written. */
  worked(): void {
    if (this.#said === undefined || this.monotonic() - this.#failedAt < QUIET_MS) return
    this.#said = undefined
    this.warn(`${this.address.url} works again`)
  }
}
