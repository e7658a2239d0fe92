import type { World } from '../../domain/world.ts'
import type { AccountClock } from '../clock.ts'

/**
 * Times are rounded down to this: a process that looks too early finds nothing due yet, and a row whose time does
 * not change needs no new entry in the index.
 */
const ROUND_MS = 60_000

/** When the next timer is due by the wall clock, or up to a minute before; at once, if a webhook is under way. */
export function wakeAt(
  { clock, world }: { readonly clock: AccountClock; readonly world: World },
  now: number,
): number | null {
  const { next } = world.timers
  const waitMs = hasAttempts(world) ? 0 : next && clock.waitFor(next.dueAt)
  return waitMs === undefined ? null : Math.floor((now + waitMs) / ROUND_MS) * ROUND_MS
}

/** Among very many open webhooks, one may already be in progress: then a process looks in vain. */
const LOOKED_THROUGH = 100

function hasAttempts({ deliveries, openDeliveries }: World): boolean {
  let looked = 0
  for (const id of openDeliveries)
    if (++looked > LOOKED_THROUGH || deliveries.get(id)?.status === 'attempting') return true
  return false
}
