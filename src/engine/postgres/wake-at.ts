import type { World } from '../../domain/world.ts'
import type { Account } from '../account.ts'

/** When the next timer is due by the wall clock; at once, if a webhook is under way. */
export function wakeAt({ clock, world }: Account, now: number): number | null {
  if (hasAttempts(world)) return now
  const { next } = world.timers
  const waitMs = next && clock.waitFor(next.dueAt)
  return waitMs === undefined ? null : now + waitMs
}

/** Of very many open webhooks one may be under way: then somebody looks in vain. */
const LOOKED_THROUGH = 100

function hasAttempts({ deliveries, openDeliveries }: World): boolean {
  let looked = 0
  for (const id of openDeliveries)
    if (++looked > LOOKED_THROUGH || deliveries.get(id)?.status === 'attempting') return true
  return false
}
