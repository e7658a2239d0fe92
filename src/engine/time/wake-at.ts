import type { World } from '../../domain/world.ts'
import type { AccountClock } from './clock.ts'

/** An account, without what opens it. */
interface Woken {
  readonly clock: AccountClock
  readonly world: World
}

/** The wall time at which an account must be open: at once, if a webhook is under way. Null: only when it is called. */
export function wakeAt({ clock, world }: Woken, now: number): number | null {
  const { next } = world.timers
  const waitMs = hasAttempts(world) ? 0 : next && clock.waitFor(next.dueAt)
  return waitMs === undefined ? null : now + waitMs
}

/** Among very many open webhooks, one may already be in progress: then the account is opened in vain. */
const LOOKED_THROUGH = 100

function hasAttempts({ deliveries, openDeliveries }: World): boolean {
  let looked = 0
  for (const id of openDeliveries)
    if (++looked > LOOKED_THROUGH || deliveries.get(id)?.status === 'attempting') return true
  return false
}
