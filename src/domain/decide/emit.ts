import { isStandardEvent } from '../../contract/event-names.ts'
import { later } from '../../contract/timestamps.ts'
import type { CommandOf } from '../commands.ts'
import type { DomainEvent, EventOf } from '../events.ts'
import { isInEffect, type WebhookFault } from '../faults.ts'
import { firstMatch } from '../match-limits.ts'
import type { WebhookEndpoint } from '../model.ts'
import { deliveryTimer } from '../timers.ts'
import type { World } from '../world.ts'
import { type Context, type Decision, happens, member } from './decision.ts'

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
  const endpoints = thoseThatTake(world, name)
  if (endpoints.length === 0 && !isStandardEvent(name)) return []
  return emitted(world, context, { event: context.newId('evt'), name, subject }, endpoints)
}

/** An event that somebody sends by hand. It changes no record, and exists also if no endpoint takes it. */
export function sendEvent(world: World, { name, data }: CommandOf<'SendEvent'>, context: Context): Decision {
  const event = context.newId('evt')
  const endpoints = thoseThatTake(world, name)
  return happens(event, emitted(world, context, { event, name, subject: { data } }, endpoints))
}

function thoseThatTake(world: World, name: string): WebhookEndpoint[] {
  const endpoints: WebhookEndpoint[] = []
  for (const endpoint of world.endpoints.values()) if (wants(endpoint, name)) endpoints.push(endpoint)
  return endpoints
}

const emitted = (
  world: World,
  context: Context,
  { event, name, subject }: Omit<EventOf<'EventEmitted'>, 'type'>,
  endpoints: readonly WebhookEndpoint[],
): DomainEvent[] => [
  { type: 'EventEmitted', event, name, subject },
  ...endpoints.flatMap(({ id }) => queueDelivery(world, context, { event, name, endpoint: id })),
]

function wants({ events, disabled }: WebhookEndpoint, name: string): boolean {
  return !disabled && (events ? events.includes(name) || events.includes('*') : isStandardEvent(name))
}

/** How long after the overtaking event a held event is sent. */
const AFTER_THE_OTHER_MS = 1000

interface DeliveryRequest {
  readonly event: string
  readonly name: string
  readonly endpoint: string
}

/** A delivery and the timer of its first attempt, unless a fault changes this. */
function queueDelivery(world: World, context: Context, wanted: DeliveryRequest): DomainEvent[] {
  const { name, endpoint } = wanted
  const match = firstMatch(
    world.faults.webhook,
    ({ eventTypes, window }) =>
      (eventTypes === null || eventTypes.includes(name)) && isInEffect(window, context.at),
    world.faultCounts,
    context.chance,
  )
  const counted: DomainEvent[] =
    match.held.length > 0 ? [{ type: 'FaultsCounted', held: match.held, used: match.used }] : []
  const dueAt = later(context.at, context.contract['events.retry'][0] ?? 0)
  // A held event waits for this one, so this one must not be held.
  const overtakes = match.taken?.type === 'reorder' && world.heldDeliveries.has(endpoint)
  const fault = overtakes ? undefined : match.taken
  return [...counted, ...deliveries(context, wanted, dueAt, fault), ...released(world, endpoint, dueAt)]
}

function deliveries(
  context: Context,
  wanted: DeliveryRequest,
  dueAt: number,
  fault: WebhookFault | undefined,
): DomainEvent[] {
  switch (fault?.type) {
    case undefined:
      return one(context, wanted, dueAt)
    case 'duplicate':
      return [...one(context, wanted, dueAt), ...one(context, wanted, dueAt, 'duplicate')]
    case 'delay':
      return one(context, wanted, later(dueAt, fault.delayMs), 'delay')
    case 'reorder':
      return one(context, wanted, later(dueAt, fault.delayMs), 'reorder')
    case 'hold':
      return one(context, wanted, dueAt, 'hold', fault.holdMs)
    case 'bad_signature':
      return one(context, wanted, dueAt, 'bad_signature')
    case 'drop':
      return [queued(context, wanted, null, 'drop')]
  }
}

function one(
  context: Context,
  wanted: DeliveryRequest,
  dueAt: number,
  fault?: WebhookFault['type'],
  holdMs?: number,
): DomainEvent[] {
  const event = queued(context, wanted, dueAt, fault, holdMs)
  return [event, attemptAt(event.delivery, dueAt)]
}

function queued(
  context: Context,
  { event, endpoint }: DeliveryRequest,
  dueAt: number | null,
  fault?: WebhookFault['type'],
  holdMs?: number,
): Required<EventOf<'DeliveryQueued'>> {
  const delivery = context.newId('dlv')
  const disturbed = { ...member('fault', fault), ...member('holdMs', holdMs) }
  return { type: 'DeliveryQueued', delivery, event, endpoint, dueAt, ...disturbed }
}

/** An event that a fault held back is sent after the one that overtakes it. */
function released({ heldDeliveries }: World, endpoint: string, dueAt: number): DomainEvent[] {
  const held = heldDeliveries.get(endpoint)
  if (held === undefined) return []
  const behind = later(dueAt, AFTER_THE_OTHER_MS)
  return [{ type: 'DeliveryMoved', delivery: held, dueAt: behind }, attemptAt(held, behind)]
}

export const attemptAt = (delivery: string, dueAt: number): DomainEvent => ({
  type: 'TimerSet',
  timer: deliveryTimer(delivery),
  dueAt,
  command: { type: 'AttemptDelivery', delivery },
})
