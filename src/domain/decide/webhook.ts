import { LATEST, later } from '../../contract/timestamps.ts'
import type { CommandOf } from '../commands.ts'
import type { DomainEvent } from '../events.ts'
import { allows, DELIVERY_MOVES } from '../lifecycle.ts'
import type { Delivery } from '../model.ts'
import { isSuccess } from '../model.ts'
import type { World } from '../world.ts'
import { type Context, type Decision, happens, notFound, refuse } from './decision.ts'
import { attemptAt } from './emit.ts'

export function addEndpoint(
  world: World,
  { url, events, secret: given }: CommandOf<'AddEndpoint'>,
  context: Context,
): Decision {
  let endpoint = context.newId('we')
  // With a given seed, ids repeat after a reset, and an endpoint that it kept may have this one.
  while (world.endpoints.has(endpoint)) endpoint = context.newId('we')
  const secret = given ?? context.newSecret()
  return happens(endpoint, [{ type: 'EndpointAdded', endpoint, url, events, secret }])
}

/** Both the old and the new secret sign until the overlap ends. */
export function rotateSecret(
  world: World,
  { endpoint: id, overlapMs }: CommandOf<'RotateEndpointSecret'>,
  { at, newSecret }: Context,
): Decision {
  const endpoint = world.endpoints.get(id)
  if (!endpoint) return notFound('webhook endpoint')
  const ending = endpoint.secrets
    .filter(({ endsAt }) => endsAt === null || endsAt > at)
    .map(({ secret, endsAt }) => ({ secret, endsAt: Math.min(endsAt ?? LATEST, later(at, overlapMs)) }))
  const secrets = [{ secret: newSecret(), endsAt: null }, ...ending.filter(({ endsAt }) => endsAt > at)]
  return happens(id, [{ type: 'EndpointSecretsSet', endpoint: id, secrets }])
}

export function removeEndpoint(world: World, { endpoint }: CommandOf<'RemoveEndpoint'>): Decision {
  if (!world.endpoints.has(endpoint)) return notFound('webhook endpoint')
  return happens(endpoint, [{ type: 'EndpointRemoved', endpoint }])
}

/**
 * The first attempt stores the body. Later attempts must send the same bytes, although another server may make them,
 * with another address or contract.
 */
export function attemptDelivery(
  world: World,
  { delivery: id }: CommandOf<'AttemptDelivery'>,
  { webhookBody }: Context,
): Decision {
  const delivery = world.deliveries.get(id)
  if (!delivery || !allows(DELIVERY_MOVES.attempt, delivery.status))
    return refuse('invalid_state', 'The delivery is not waiting for an attempt')
  const event = world.events.get(delivery.eventId)
  const body = event?.body === null ? { body: webhookBody(event) } : {}
  return happens(id, [{ type: 'AttemptStarted', delivery: id, ...body }])
}

/** One additional attempt now. Success ends the retry schedule; failure does not change it. */
export function redeliver(world: World, { delivery: id }: CommandOf<'Redeliver'>, { at }: Context): Decision {
  const delivery = world.deliveries.get(id)
  if (!delivery) return notFound('webhook delivery')
  const endpoint = world.endpoints.get(delivery.endpointId)
  if (!endpoint || endpoint.disabled)
    return refuse('invalid_state', 'The webhook endpoint was removed or is disabled')
  if (!allows(DELIVERY_MOVES.redeliver, delivery.status))
    return refuse('invalid_state', 'An attempt of this delivery is in progress')
  return happens(id, [{ type: 'DeliveryMoved', delivery: id, dueAt: at }, attemptAt(id, at)])
}

/** Records the result of an attempt. The number rejects a late response to an attempt that was given up. */
export function recordAttempt(
  world: World,
  { delivery: id, attempt, result }: CommandOf<'RecordAttempt'>,
  context: Context,
): Decision {
  const delivery = world.deliveries.get(id)
  const isAwaited = delivery && allows(DELIVERY_MOVES.deliver, delivery.status)
  if (!isAwaited || delivery.attempts.length !== attempt)
    return refuse('invalid_state', 'The delivery is not waiting for this attempt')
  const { at } = context
  const next = nextAttempt(world, delivery, result, context)
  const events: DomainEvent[] = [{ type: 'AttemptEnded', delivery: id, result: { ...result, at }, next }]
  if (next !== null) events.push(attemptAt(id, next))
  if (result.status === 410) events.push({ type: 'EndpointDisabled', endpoint: delivery.endpointId })
  return happens(id, events)
}

function nextAttempt(
  world: World,
  delivery: Delivery,
  { status, retryAfterMs }: CommandOf<'RecordAttempt'>['result'],
  { at, contract }: Context,
): number | null {
  const endpoint = world.endpoints.get(delivery.endpointId)
  if (isSuccess(status) || status === 410 || !endpoint || endpoint.disabled) return null
  const gap = contract['events.retry'][delivery.attempts.length]
  return gap === undefined ? null : later(at, Math.max(gap, retryAfterMs ?? 0))
}
