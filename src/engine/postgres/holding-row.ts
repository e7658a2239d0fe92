import type { Ask } from './database.ts'
import { LEASE_MS } from './lease.ts'

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
