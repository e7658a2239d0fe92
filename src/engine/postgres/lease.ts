import type { NodeCounts } from '../nodes.ts'
import type { Reading } from '../real-time.ts'
import type { Database } from './database.ts'

/** How long a process holds its accounts without renewing its lease. */
export const LEASE_MS = 3000
/** A holder that has not renewed its lease for this long is no longer called: it may be gone. */
export const OVERDUE_MS = 1900
const RENEW_EVERY_MS = 900
/** Less than the time between the last answer of a lost holder and the end of its lease. */
const SLACK_MS = 20

interface LeaseOptions {
  readonly node: string
  readonly wall: Reading
  readonly monotonic: Reading
  /** The lease expired, and others may have taken what this process held. It has a new number now. */
  readonly onLapse: () => void
  /**
   * The lease had expired, and others may have served with other settings meanwhile. If this fails, the lease is not
   * renewed.
   */
  readonly onReturn: (id: number) => Promise<unknown>
  /** The wall clock was set back from there, which the accounts of this process do not follow. */
  readonly onSetBack: (id: number, wallMs: number) => Promise<void>
  /** The lease was renewed. */
  readonly onRenewed: () => void
}

/** The number of a process, which no other process ever gets, and the end of its lease. */
interface Term {
  readonly id: number
  /** By the monotonic clock, counted from before the renewal was sent. */
  readonly until: number
}

/**
 * How long this process may answer for what it holds. For the others, the lease expires by the database's clock; for
 * this process, by its monotonic clock, which is always earlier.
 */
export class Lease {
  /** What this process reports about itself with each renewal. */
  readonly counts: NodeCounts = { takeovers: 0, moves: 0, forwarded: 0, lagMs: 0 }
  #term: Term | undefined
  #address: string | null = null
  #timer: NodeJS.Timeout | undefined
  #renewing: Promise<void> | undefined
  #released = false
  /** What both clocks showed at the last renewal. */
  #seen: { readonly wall: number; readonly when: number }

  constructor(
    private readonly database: Database,
    private readonly options: LeaseOptions,
  ) {
    this.#seen = this.#look()
  }

  #look() {
    const when = this.options.monotonic()
    // Read last, so that a pause between the two does not look as if it was set back.
    return { wall: this.options.wall(), when }
  }

  /** Throws if the database cannot be written. */
  async begin(): Promise<void> {
    await this.#register()
    this.#renewLater()
  }

  get id(): number {
    if (!this.#term) throw new Error('the process is not registered')
    return this.#term.id
  }

  get registered(): boolean {
    return this.#term !== undefined
  }

  get holds(): boolean {
    return this.#term !== undefined && this.options.monotonic() < this.#term.until
  }

  /** Tells the others where this process is reached. */
  async announce(address: string): Promise<void> {
    this.#address = address
    await this.database.ask('UPDATE processes SET address = $2 WHERE id = $1', [this.id, address])
  }

  async #register(): Promise<void> {
    const from = this.options.monotonic()
    const { rows } = await this.database.ask<{ id: string }>(
      `INSERT INTO processes (node, address, renewed_at, wall_ms, lag_ms, takeovers, forwarded, moves)
       VALUES ($1, $2, clock_timestamp(), $3, $4, $5, $6, $7) RETURNING id`,
      [this.options.node, this.#address, ...this.#figures],
    )
    this.counts.lagMs = this.options.monotonic() - from
    this.#term = { id: Number(rows[0]?.id), until: from + LEASE_MS }
  }

  get #figures(): readonly number[] {
    const { lagMs, takeovers, forwarded, moves } = this.counts
    return [this.options.wall(), lagMs, takeovers, forwarded, moves]
  }

  /** Renews it now. Concurrent calls share one renewal. */
  renew(): Promise<void> {
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = undefined
    })
    return this.#renewing
  }

  async #renew(): Promise<void> {
    const from = this.options.monotonic()
    const { id } = this
    await this.#noteSetBack(id)
    // A lease that others have ended cannot be renewed: both lock the row.
    const { count } = await this.database.ask(
      `UPDATE processes SET renewed_at = clock_timestamp(), wall_ms = $2, lag_ms = $3, takeovers = $4, forwarded = $5,
         moves = $6
       WHERE id = $1 AND NOT ended`,
      [id, ...this.#figures],
    )
    this.counts.lagMs = this.options.monotonic() - from
    if (this.#released) return
    const hadLapsed = count === 0 || !this.holds
    if (count === 0) {
      await this.#register()
      this.options.onLapse()
    }
    if (hadLapsed) {
      this.#term = { id: this.id, until: Number.NEGATIVE_INFINITY }
      await this.options.onReturn(this.id)
    }
    this.#term = { id: this.id, until: from + LEASE_MS }
    this.options.onRenewed()
  }

  async #noteSetBack(id: number): Promise<void> {
    const { wall, when } = this.#look()
    const reached = this.#seen.wall + (when - this.#seen.when)
    if (reached - wall > SLACK_MS) await this.options.onSetBack(id, reached)
    this.#seen = { wall, when }
  }

  #renewLater(): void {
    if (this.#released) return
    this.#timer = setTimeout(() => {
      this.renew()
        .catch(() => {})
        .finally(() => this.#renewLater())
    }, RENEW_EVERY_MS)
    this.#timer.unref()
  }

  /** Lets others take what this process held at once. */
  async release(): Promise<void> {
    this.#released = true
    clearTimeout(this.#timer)
    await this.#renewing?.catch(() => {})
    const term = this.#term
    this.#term = undefined
    if (term)
      await this.database
        .ask('UPDATE processes SET ended = true, wall_ms = $2 WHERE id = $1', [term.id, this.options.wall()])
        .catch(() => {})
  }
}
