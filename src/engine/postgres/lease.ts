import type { HeldMerchants, HeldQuery, NodeCounts, NodeState } from '../store/holders.ts'
import type { Reading } from '../time/real-time.ts'
import type { Ask, Database } from './database.ts'

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

/** What the database has about a merchant and its holder. */
export interface HoldingRow {
  readonly term: string
  readonly holder: string | null
  readonly address: string | null
  readonly ended: boolean | null
  /** How far the time of its accounts may have come, as a wall clock that shows it. */
  readonly wall_ms: number
  /** How long ago the holder renewed its lease. */
  readonly age_ms: number | null
}

/** The milliseconds of an interval. */
const ms = (interval: string) => `(extract(epoch FROM ${interval}) * 1000)::float8`

/**
 * How far earlier holders have come. If this holder's wall clock is behind theirs, its accounts continue from there by
 * its monotonic clock, at most until its lease expires.
 */
const WALL_MS_OF_EARLIER = (until: string) => `h.wall_ms + coalesce(${ms(`${until} - h.taken_at`)}, 0)`

export async function readHolding(ask: Ask, merchant: string): Promise<HoldingRow | undefined> {
  const until = `least(clock_timestamp(), p.renewed_at + $2 * interval '1 millisecond')`
  const { rows } = await ask<HoldingRow>(
    `SELECT h.term, h.holder, p.address, p.ended, greatest(p.wall_ms, ${WALL_MS_OF_EARLIER(until)}) AS wall_ms,
       ${ms('clock_timestamp() - p.renewed_at')} AS age_ms
     FROM holdings h LEFT JOIN processes p ON p.id = h.holder WHERE h.merchant = $1`,
    [merchant, LEASE_MS],
  )
  return rows[0]
}

interface Taker {
  readonly merchant: string
  readonly process: number
  readonly term: number
}

/** Makes this process its holder, if the row is still as it was read. */
export async function takeHolding(
  ask: Ask,
  { merchant, process, term }: Taker,
  before: HoldingRow | undefined,
): Promise<boolean> {
  const { count } = before
    ? await ask(
        `UPDATE holdings SET holder = $2, term = $3, wall_ms = $5, taken_at = clock_timestamp()
         WHERE merchant = $1 AND term = $4`,
        [merchant, process, term, before.term, before.wall_ms],
      )
    : await ask('INSERT INTO holdings (merchant, holder, term) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
        merchant,
        process,
        term,
      ])
  return count > 0
}

/** Leaves them without a holder. Returns how many rows that has changed. */
export async function giveHoldings(ask: Ask, takers: readonly Taker[], wallMs: number): Promise<number> {
  const { count } = await ask(
    `UPDATE holdings h SET holder = NULL, taken_at = NULL,
       wall_ms = greatest($4, ${WALL_MS_OF_EARLIER('clock_timestamp()')})
     FROM unnest($1::text[], $2::bigint[], $3::bigint[]) AS t (merchant, process, term)
     WHERE h.merchant = t.merchant AND h.holder = t.process AND h.term = t.term`,
    [
      takers.map(({ merchant }) => merchant),
      takers.map(({ process }) => process),
      takers.map(({ term }) => term),
      wallMs,
    ],
  )
  return count
}

/** The wall clock of their holder was set back from there: from now on, they are ahead of it. */
export async function noteAhead(ask: Ask, process: number, wallMs: number): Promise<void> {
  await ask(
    `UPDATE holdings h SET wall_ms = $2, taken_at = clock_timestamp()
     WHERE holder = $1 AND ${WALL_MS_OF_EARLIER('clock_timestamp()')} < $2`,
    [process, wallMs],
  )
}

export interface ServingProcess {
  readonly node: string
  readonly address: string | null
}

/** The processes whose lease has not expired, except this one. */
export async function readServing(ask: Ask, self = 0): Promise<ServingProcess[]> {
  const { rows } = await ask<ServingProcess>(
    `SELECT node, address FROM processes
     WHERE id <> $1 AND NOT ended AND renewed_at > clock_timestamp() - $2 * interval '1 millisecond' ORDER BY id`,
    [self, LEASE_MS],
  )
  return rows
}

/** The processes that serve, and those that ended without releasing what they held. */
export async function readNodes(ask: Ask): Promise<readonly NodeState[]> {
  const { rows } = await ask<NodeState>(
    `SELECT node, address, merchants::int, age <= $1 AS serving, age AS "renewedMsAgo", lag_ms AS "lagMs",
       takeovers::float8, moves::float8, forwarded::float8
     FROM processes,
       LATERAL (SELECT (extract(epoch FROM clock_timestamp() - renewed_at) * 1000)::float8 AS age) AS lease,
       LATERAL (SELECT count(*) AS merchants FROM holdings WHERE holder = id) AS held
     WHERE NOT ended AND (age <= $1 OR merchants > 0) ORDER BY id`,
    [LEASE_MS],
  )
  return rows
}

export async function readHeldMerchants(
  ask: Ask,
  { text, offset, limit }: HeldQuery,
): Promise<HeldMerchants> {
  const { rows } = await ask<{ merchant: string; node: string | null; takeovers: number; total: string }>(
    `SELECT l.name AS merchant, p.node, greatest(h.term - 1, 0)::float8 AS takeovers, count(*) OVER () AS total
     FROM list l LEFT JOIN holdings h ON h.merchant = l.name LEFT JOIN processes p ON p.id = h.holder AND NOT p.ended
     WHERE NOT l.gone AND l.name NOT LIKE '.%' AND strpos(lower(l.name), lower($1)) > 0
     ORDER BY l.since, l.name OFFSET $2 LIMIT $3`,
    [text, offset, limit],
  )
  const total = Number(rows[0]?.total ?? 0)
  return { rows: rows.map(({ total: _, ...row }) => ({ ...row, takeovers: row.takeovers ?? 0 })), total }
}
