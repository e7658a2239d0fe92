import type { DeliveryRow } from '../../contract/control/webhooks.ts'
import { formatTimestamp } from '../../contract/timestamps.ts'
import type { Delivery } from '../../domain/model.ts'
import type { World } from '../../domain/world.ts'
import { notFound } from '../refusal.ts'
import { type ControlHandlers, param, runtimeNamed } from './control-call.ts'
import { anyOf, textIn, windowIn } from './list-window.ts'
import type { ControlSettings } from './settings.ts'
import { deliveryView } from './views.ts'

/** Deliveries for the dashboard: newest first, in parts. */
export function deliveryBrowsing({ gateway }: ControlSettings) {
  return {
    'GET /accounts/:account/browse/webhook-deliveries': (request, answer) => {
      const { world } = runtimeNamed(gateway, request).account
      const { offset, limit } = windowIn(request)
      const [status, type] = [anyOf(request, 'status'), anyOf(request, 'event_type')]
      const endpoint = anyOf(request, 'endpoint')
      const text = textIn(request)
      const wanted = [...world.deliveries.values()].filter(delivery => {
        const event = world.events.get(delivery.eventId)
        return (
          status(delivery.status) &&
          type(event?.type) &&
          endpoint(delivery.endpointId) &&
          (!text || text(delivery.id, delivery.eventId, subjectOf(delivery, world)))
        )
      })
      const data = wanted
        .reverse()
        .slice(offset, offset + limit)
        .map(delivery => deliveryRow(delivery, world))
      return answer(200, { data, total: wanted.length })
    },

    'GET /accounts/:account/webhook-deliveries/:id': (request, answer) => {
      const runtime = runtimeNamed(gateway, request)
      const delivery = runtime.account.world.deliveries.get(param(request, 'id'))
      if (!delivery) throw notFound('webhook delivery')
      return answer(200, {
        ...deliveryView(delivery, runtime),
        record: subjectOf(delivery, runtime.account.world),
        fault: delivery.fault,
      })
    },
  } satisfies Partial<ControlHandlers>
}

/** The payment or payout of the event. */
function subjectOf({ eventId }: Delivery, world: World): string | null {
  const subject = world.events.get(eventId)?.subject
  if (!subject) return null
  return ('payment' in subject ? subject.payment : subject.payout).sortKey.id
}

function deliveryRow(delivery: Delivery, world: World): DeliveryRow {
  const last = delivery.attempts.at(-1)?.result
  return {
    id: delivery.id,
    event: delivery.eventId,
    event_type: world.events.get(delivery.eventId)?.type ?? null,
    record: subjectOf(delivery, world),
    endpoint: delivery.endpointId,
    url: delivery.url,
    status: delivery.status,
    attempts: delivery.attempts.length,
    last_status: last?.status ?? null,
    last_error: last?.error ?? null,
    next_attempt_at: delivery.nextAttemptAt === null ? null : formatTimestamp(delivery.nextAttemptAt),
    created_at: formatTimestamp(delivery.createdAt),
  }
}
