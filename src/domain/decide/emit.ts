import { isStandardEvent } from '../../contract/event-names.ts'
import type { DomainEvent, EventOf } from '../events.ts'
import type { WebhookEndpoint } from '../model.ts'
import type { World } from '../world.ts'
import type { Context } from './decision.ts'
import { queueDelivery } from './queue-delivery.ts'

/**
 * An event, and a delivery to each endpoint that subscribes to it. An event that is off by default exists only if an
 * endpoint subscribes.
 */
export function emit(
  world: World,
  context: Context,
  name: string,
  subject: EventOf<'EventEmitted'>['subject'],
): DomainEvent[] {
  const endpoints: WebhookEndpoint[] = []
  for (const endpoint of world.endpoints.values()) if (wants(endpoint, name)) endpoints.push(endpoint)
  if (endpoints.length === 0 && !isStandardEvent(name)) return []
  const event = context.newId('evt')
  return [
    { type: 'EventEmitted', event, name, subject },
    ...endpoints.flatMap(({ id }) => queueDelivery(world, context, { event, name, endpoint: id })),
  ]
}

function wants({ events, disabled }: WebhookEndpoint, name: string): boolean {
  return !disabled && (events ? events.includes(name) || events.includes('*') : isStandardEvent(name))
}
