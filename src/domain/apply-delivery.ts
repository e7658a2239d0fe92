import type { DomainEvent, EventOf } from './events.ts'
import { allows, DELIVERY_MOVES } from './lifecycle.ts'
import type { Delivery, WebhookEndpoint, WebhookEvent } from './model.ts'
import { endDeliveryTimers } from './record-timers.ts'
import type { MutableWorld } from './world.ts'

export type DeliveryEvent = Extract<
  DomainEvent,
  {
    type:
      | 'EventEmitted'
      | 'EndpointAdded'
      | 'EndpointSecretsSet'
      | 'EndpointDisabled'
      | 'EndpointRemoved'
      | 'DeliveryQueued'
      | 'DeliveryMoved'
      | 'AttemptStarted'
      | 'AttemptEnded'
  }
>

export function applyDeliveryEvent(world: MutableWorld, event: DeliveryEvent): void {
  switch (event.type) {
    case 'EventEmitted': {
      const { event: id, name: type, subject } = event
      world.events.add(id, {
        id,
        type,
        at: world.at,
        subject: snapshot(world, subject),
        body: null,
        seq: world.seq,
      })
      return
    }
    case 'EndpointAdded': {
      const { endpoint: id, url, events, secret } = event
      const secrets = [{ secret, endsAt: null }]
      world.endpoints.set(id, { id, url, events, secrets, disabled: false, createdAt: world.at })
      return
    }
    case 'EndpointSecretsSet':
      return changeEndpoint(world, event.endpoint, { secrets: event.secrets })
    case 'EndpointDisabled':
      changeEndpoint(world, event.endpoint, { disabled: true })
      return giveUp(world, event.endpoint)
    case 'EndpointRemoved':
      world.endpoints.delete(event.endpoint)
      return giveUp(world, event.endpoint)
    case 'DeliveryQueued':
      return queue(world, event)
    case 'DeliveryMoved':
      return change(world, event.delivery, () => ({
        status: DELIVERY_MOVES.redeliver.to,
        nextAttemptAt: event.dueAt,
      }))
    case 'AttemptStarted':
      release(world, event.delivery)
      if (event.body !== undefined) keepBody(world, event.delivery, event.body)
      return change(world, event.delivery, delivery => ({
        status: DELIVERY_MOVES.attempt.to,
        attempts: [...delivery.attempts, { startedAt: world.at, result: null }],
        nextAttemptAt: null,
      }))
    case 'AttemptEnded':
      return change(world, event.delivery, delivery => ({
        status: DELIVERY_MOVES[endOfAttempt(event)].to,
        attempts: delivery.attempts.with(-1, { ...lastAttempt(delivery), result: event.result }),
        nextAttemptAt: event.next,
      }))
  }
}

const endOfAttempt = ({ result, next }: EventOf<'AttemptEnded'>) =>
  isSuccess(result.status) ? 'deliver' : next === null ? 'give-up' : 'retry'

export const isSuccess = (status: number | null) => status !== null && status >= 200 && status < 300

function lastAttempt(delivery: Delivery) {
  const attempt = delivery.attempts.at(-1)
  if (!attempt) throw new Error(`the journal ends an attempt that never started: ${delivery.id}`)
  return attempt
}

function snapshot(world: MutableWorld, subject: EventOf<'EventEmitted'>['subject']): WebhookEvent['subject'] {
  if ('payment' in subject) {
    const payment = world.payments.get(subject.payment)
    if (payment) return { payment }
  } else {
    const payout = world.payouts.get(subject.payout)
    if (payout) return { payout }
  }
  throw new Error('the journal emits an event about a record that was never created')
}

function queue(world: MutableWorld, event: EventOf<'DeliveryQueued'>): void {
  const { delivery: id, event: eventId, endpoint: endpointId, dueAt, fault = null } = event
  world.deliveries.add(id, {
    id,
    eventId,
    endpointId,
    url: world.endpoints.get(endpointId)?.url ?? '',
    status: dueAt === null ? 'dropped' : 'pending',
    attempts: [],
    fault,
    nextAttemptAt: dueAt,
    createdAt: world.at,
    seq: world.seq,
  })
  if (dueAt !== null) world.openDeliveries.add(id)
  if (fault === 'reorder') world.heldDeliveries.set(endpointId, id)
  else world.heldDeliveries.delete(endpointId)
}

/** An event that is being sent no longer waits for another one to overtake it. */
function release({ heldDeliveries }: MutableWorld, id: string): void {
  for (const [endpoint, held] of heldDeliveries) if (held === id) heldDeliveries.delete(endpoint)
}

function change(world: MutableWorld, id: string, edit: (delivery: Delivery) => Partial<Delivery>): void {
  const delivery = world.deliveries.get(id)
  if (!delivery) throw new Error(`the journal names a delivery that was never queued: ${id}`)
  const next = { ...delivery, ...edit(delivery), seq: world.seq }
  world.deliveries.set(id, next)
  if (isOpen(next)) world.openDeliveries.add(id)
  else world.openDeliveries.delete(id)
  endDeliveryTimers(world.timers, id, delivery, next)
}

function keepBody(world: MutableWorld, delivery: string, body: string): void {
  const event = world.events.get(world.deliveries.get(delivery)?.eventId ?? '')
  if (!event) throw new Error(`the journal sends an event that was never emitted, with delivery ${delivery}`)
  world.events.set(event.id, { ...event, body })
}

const isOpen = ({ status }: Delivery) => status === 'pending' || status === 'attempting'

function changeEndpoint(world: MutableWorld, id: string, changes: Partial<WebhookEndpoint>): void {
  const endpoint = world.endpoints.get(id)
  if (endpoint) world.endpoints.set(id, { ...endpoint, ...changes })
}

const LOSE_ENDPOINT = DELIVERY_MOVES['lose-endpoint']

/** A removed or disabled endpoint receives no more events. */
function giveUp(world: MutableWorld, endpoint: string): void {
  for (const id of world.openDeliveries) {
    const delivery = world.deliveries.get(id)
    if (delivery?.endpointId !== endpoint || !allows(LOSE_ENDPOINT, delivery.status)) continue
    change(world, delivery.id, () => ({ status: LOSE_ENDPOINT.to, nextAttemptAt: null }))
  }
}
