import type { TimelineAttempt, TimelineChange, TimelineRequest } from '../../contract/control/timeline.ts'
import { formatTimestamp } from '../../contract/timestamps.ts'
import type { PaymentEvent } from '../../domain/apply-payment.ts'
import type { PayoutEvent } from '../../domain/apply-payout.ts'
import type { DomainEvent, Entry } from '../../domain/events.ts'
import { FROM_THE_TOP } from '../../domain/list-index.ts'
import {
  deliveryTimer,
  PAYMENT_TIMERS,
  PAYOUT_TIMERS,
  paymentTimer,
  payoutTimer,
} from '../../domain/record-timers.ts'
import { upcomingMoves } from '../../domain/upcoming-moves.ts'
import type { World } from '../../domain/world.ts'
import type { AccountRuntime } from '../../engine/account-runtime.ts'
import { notFound } from '../refusal.ts'
import type { RequestAbout } from '../request-log.ts'
import { type ControlHandlers, param, runtimeNamed } from './control-call.ts'
import type { ControlSettings } from './settings.ts'
import { inOrder } from './timeline-order.ts'
import { timerView } from './views.ts'
import { WallTimes } from './wall-times.ts'

/** Everything that happened to one record, and what is planned for it. */
export function timelineCalls({ gateway, requests }: ControlSettings) {
  const wallTimes = new WallTimes(gateway)
  return {
    'GET /accounts/:account/timeline/:id': async (request, answer) => {
      const runtime = runtimeNamed(gateway, request)
      const id = param(request, 'id')
      const { world, journal } = runtime.account
      if (!world.payments.has(id) && !world.payouts.has(id)) throw notFound('payment or payout')
      const entries = await journal.history(id)
      const deliveries = deliveriesIn(entries)
      const ofDeliveries = await Promise.all(deliveries.map(delivery => journal.history(delivery)))
      const { now } = runtime.account
      const wallOf = (seq: number) => wallTimes.of(runtime, seq)
      const asked = requests.about(runtime, id)
      const called = [...world.providerCalls.named(id, FROM_THE_TOP)].map(({ record }) => record).reverse()
      const attempts = deliveries.flatMap(delivery => attemptsOf(world, delivery))
      return answer(200, {
        now: formatTimestamp(now),
        rule: ruleIn(entries, id),
        changes: entries.flatMap(entry => changesIn(entry, id, wallOf(entry.seq))),
        provider_calls: called.map(({ at, call }) => ({ at: formatTimestamp(at), call })),
        requests: asked.map(requestView),
        attempts,
        order: inOrder({
          changes: entries.map(entry => ({
            ...entry,
            events: entry.events.filter(event => isOf(event, id)),
          })),
          called,
          asked,
          attempts,
          deliveries: ofDeliveries,
          wallOf,
        }),
        timers: timersOf(runtime, id, deliveries),
        to_come: upcomingMoves(world, now, id, deliveries),
      })
    },
  } satisfies Partial<ControlHandlers>
}

const isOf = (event: DomainEvent, id: string): event is PaymentEvent | PayoutEvent =>
  ('payment' in event && event.payment === id) || ('payout' in event && event.payout === id)

/** The rule that matched, as it was then; null if none did. */
function ruleIn(entries: readonly Entry[], id: string) {
  for (const { events } of entries)
    for (const event of events)
      if ((event.type === 'RouteFrozen' || event.type === 'PayoutCreated') && isOf(event, id))
        return event.rule ?? null
  return null
}

/** What happened to the record, and its state after each event. Internal events are left out. */
function changesIn({ seq, at, by, events }: Entry, id: string, wall: number | undefined): TimelineChange[] {
  return events
    .filter(event => isOf(event, id))
    .map(event => ({
      seq,
      at: formatTimestamp(at),
      wall_at: wall === undefined ? null : formatTimestamp(wall),
      by,
      event: event.type,
      status: statusAfter(event),
      detail: detailOf(event),
    }))
}

/** Null if the status does not change. */
function statusAfter(event: PaymentEvent | PayoutEvent): string | null {
  switch (event.type) {
    case 'PaymentCreated':
    case 'ActionWithdrawn':
    case 'PayoutApproved':
      return 'processing'
    case 'ActionPresented':
      return 'pending'
    case 'PaymentSucceeded':
    case 'PayoutSucceeded':
      return 'succeeded'
    case 'PaymentFailed':
    case 'PayoutFailed':
      return 'failed'
    case 'PaymentExpired':
      return 'expired'
    case 'PaymentCancelled':
      return event.outcome
    case 'PayoutCancelled':
      return 'cancelled'
    case 'PayoutCreated':
      return event.status
    case 'RouteFrozen':
    case 'ReceiptSubmitted':
    case 'ReceiptAccepted':
    case 'ReceiptRejected':
    case 'CancelRequested':
      return null
  }
}

/** Details that the name of an event does not contain. */
function detailOf(event: PaymentEvent | PayoutEvent): string | null {
  switch (event.type) {
    case 'PaymentFailed':
    case 'PaymentCancelled':
    case 'PayoutFailed':
      return event.failure && `${event.failure.code}: ${event.failure.message}`
    case 'PayoutCancelled':
      return event.reason
    case 'RouteFrozen':
      return `${event.route.id}${event.script?.rule ? `, by the rule ${event.script.rule}` : ''}`
    case 'ReceiptRejected':
      return event.message
    case 'ReceiptSubmitted':
      return `SHA-256 ${event.digest.slice(0, 12)}…`
    case 'PaymentCreated':
    case 'ActionPresented':
    case 'ActionWithdrawn':
    case 'ReceiptAccepted':
    case 'CancelRequested':
    case 'PaymentSucceeded':
    case 'PaymentExpired':
    case 'PayoutCreated':
    case 'PayoutApproved':
    case 'PayoutSucceeded':
      return null
  }
}

function deliveriesIn(entries: readonly Entry[]): string[] {
  const queued = entries.flatMap(({ events }) =>
    events.flatMap(event => (event.type === 'DeliveryQueued' ? [event.delivery] : [])),
  )
  return [...new Set(queued)]
}

function attemptsOf({ deliveries, events }: World, id: string): TimelineAttempt[] {
  const delivery = deliveries.get(id)
  if (!delivery) return []
  const type = events.get(delivery.eventId)?.type ?? null
  return delivery.attempts.map(({ startedAt, result }, at) => ({
    delivery: id,
    event_type: type,
    number: at + 1,
    url: delivery.url,
    at: formatTimestamp(startedAt),
    ended_at: result ? formatTimestamp(result.at) : null,
    wall_at: result && result.timestamp > 0 ? formatTimestamp(result.timestamp * 1000) : null,
    status: result?.status ?? null,
    error: result?.error ?? null,
  }))
}

/**
 * Requests to the record's own path, as far back as the log goes. The request that created the record is among the
 * changes.
 */
const requestView = ({
  at,
  wall_at,
  method,
  path,
  status,
  ms,
  request_id,
}: RequestAbout): TimelineRequest => ({
  at,
  wall_at,
  method,
  path: path.split('?')[0] ?? path,
  status,
  ms,
  request_id,
})

function timersOf({ account }: AccountRuntime, id: string, deliveries: readonly string[]) {
  const names = [
    ...PAYMENT_TIMERS.map(kind => paymentTimer(id, kind)),
    ...PAYOUT_TIMERS.map(kind => payoutTimer(id, kind)),
    ...deliveries.map(deliveryTimer),
  ]
  return [...new Set(names)]
    .flatMap(name => account.world.timers.get(name) ?? [])
    .sort((a, b) => a.dueAt - b.dueAt)
    .map(timerView)
}
