import type { RoutingTable } from '../routing.ts'
import type { World } from '../world.ts'
import type { Context } from './decision.ts'

/** The catalogue in force, with the last health that was set for its providers. */
export function routingTable(world: World, context: Pick<Context, 'catalogue'>): RoutingTable {
  const catalogue = world.catalogue ?? context.catalogue
  return {
    catalogue,
    isHealthy: provider => world.health.get(provider) ?? catalogue.healthy.has(provider),
  }
}
