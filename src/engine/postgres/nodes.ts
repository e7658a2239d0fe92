import type { HeldMerchants, HeldQuery, NodeState } from '../store/holders.ts'
import type { Ask } from './database.ts'
import { LEASE_MS } from './lease.ts'

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
