import { formatTimestamp } from '../../contract/timestamps.ts'
import type { DomainEvent, Entry } from '../../domain/events.ts'
import { deliveryTimer, paymentTimer, payoutTimer } from '../../domain/timer-names.ts'
import type { World } from '../../domain/world.ts'
import type { Tenant } from '../../engine/tenant.ts'
import type { Routes } from '../http/routes.ts'
import { notFound } from '../refusal.ts'
import type { LoggedRequest } from '../request-log.ts'
import { param, send, tenantNamed } from './control-call.ts'
import type { ControlSettings } from './settings.ts'
import { timerView } from './views.ts'
import { WallTimes } from './wall-times.ts'

/** All that happened to one record and all that is still to come, side by side. */
export function timelineCalls(scope: Routes, { gateway, requests }: ControlSettings): void {
  const wallTimes = new WallTimes(gateway)
  scope.get('/accounts/:account/timeline/:id', async (request, reply) => {
    const tenant = tenantNamed(gateway, request)
    const id = param(request, 'id')
    const { world, journal, now } = tenant.account
    if (!world.payments.has(id) && !world.payouts.has(id)) throw notFound('payment or payout')
    const entries = await journal.history(id)
    const deliveries = deliveriesIn(entries)
    return send(reply, 200, {
      now: formatTimestamp(now),
      changes: entries.flatMap(entry => changesIn(entry, id, wallTimes.of(tenant, entry.seq))),
      provider_calls: world.providerCalls
        .filter(({ paymentId }) => paymentId === id)
        .map(({ at, call }) => ({ at: formatTimestamp(at), call })),
      requests: requestsAbout(requests.of(tenant), id),
      attempts: deliveries.flatMap(delivery => attemptsOf(world, delivery)),
      timers: timersOf(tenant, id, deliveries),
    })
  })
}

/** What happened to the record, and which state that left it in. What only keeps the books is left out. */
function changesIn({ seq, at, by, events }: Entry, id: string, wall: number | undefined) {
  return events
    .filter(
      event => ('payment' in event && event.payment === id) || ('payout' in event && event.payout === id),
    )
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

function statusAfter(event: DomainEvent): string | null {
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
    default:
      return null
  }
}

/** What the name of an event leaves open. */
function detailOf(event: DomainEvent): string | null {
  if ('failure' in event && event.failure) return `${event.failure.code}: ${event.failure.message}`
  if ('reason' in event) return event.reason
  switch (event.type) {
    case 'RouteFrozen':
      return `${event.route.id}${event.script?.rule ? `, by the rule ${event.script.rule}` : ''}`
    case 'ReceiptRejected':
      return event.message
    case 'ReceiptSubmitted':
      return `SHA-256 ${event.digest.slice(0, 12)}…`
    default:
      return null
  }
}

function deliveriesIn(entries: readonly Entry[]): string[] {
  const queued = entries.flatMap(({ events }) =>
    events.flatMap(event => (event.type === 'DeliveryQueued' ? [event.delivery] : [])),
  )
  return [...new Set(queued)]
}

function attemptsOf({ deliveries, events }: World, id: string) {
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

/** Its own address, as far as the log goes back. The one that made it is among the changes. */
const requestsAbout = (log: readonly LoggedRequest[], id: string) =>
  log
    .filter(({ path }) => path.includes(id))
    .reverse()
    .map(({ at, wall_at, method, path, status, ms, request_id }) => ({
      at,
      wall_at,
      method,
      path: path.split('?')[0],
      status,
      ms,
      request_id,
    }))

const PAYMENT_TIMERS = [
  'present-action',
  'withdraw-action',
  'receipt',
  'cancel',
  'outcome',
  'expire',
] as const

function timersOf({ account }: Tenant, id: string, deliveries: readonly string[]) {
  const names = [
    ...PAYMENT_TIMERS.map(kind => paymentTimer(id, kind)),
    payoutTimer(id, 'approve'),
    payoutTimer(id, 'outcome'),
    ...deliveries.map(deliveryTimer),
  ]
  return [...new Set(names)]
    .flatMap(name => account.world.timers.get(name) ?? [])
    .sort((a, b) => a.dueAt - b.dueAt)
    .map(timerView)
}
