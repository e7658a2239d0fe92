import type { RoutingTable } from '../routing.ts'
import type { World } from '../world.ts'
import type { Context } from './decision.ts'

/** The catalogue in force, with the health of its providers as last set. */
export function routingTable(world: World, context: Pick<Context, 'catalogue'>): RoutingTable {
  const catalogue = world.catalogue ?? context.catalogue
  return {
    catalogue,
    isHealthy: provider => world.health.get(provider) ?? catalogue.healthy.has(provider),
  }
}
