import type {
  TimelineAttempt,
  TimelineChange,
  TimelinePlace,
  TimelineRequest,
} from '../../contract/control/timeline.ts'
import { formatTimestamp } from '../../contract/timestamps.ts'
import type { PaymentEvent, PayoutEvent } from '../../domain/apply.ts'
import type { DomainEvent, Entry } from '../../domain/events.ts'
import { FROM_THE_TOP } from '../../domain/list-index.ts'
import type { ProviderCall } from '../../domain/model.ts'
import {
  deliveryTimer,
  PAYMENT_TIMERS,
  PAYOUT_TIMERS,
  paymentTimer,
  payoutTimer,
} from '../../domain/timers.ts'
import { upcomingMoves } from '../../domain/upcoming-moves.ts'
import { whyRequest } from '../../domain/why/request.ts'
import type { World } from '../../domain/world.ts'
import type { AccountRuntime } from '../../engine/account/open-runtime.ts'
import { deliveriesIn, whyRecord } from '../../engine/account/why-record.ts'
import type { Gateway } from '../../engine/gateway.ts'
import { notFound } from '../refusal.ts'
import type { RequestAbout } from '../requests/request-log.ts'
import { type ControlHandlers, type ControlSettings, param } from './control-call.ts'
import { timerView } from './views.ts'

/** Everything that happened to one record, and what is planned for it. */
export function timelineCalls({ gateway, requests }: ControlSettings) {
  const wallTimes = new WallTimes(gateway)
  return {
    'GET /accounts/:account/timeline/:id': async ({ runtime, request, answer }) => {
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
      ...(event.type === 'ReceiptSubmitted' ? { image: event.digest } : {}),
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
    fault: delivery.fault,
  }))
}

/** Requests to the record's own path, and the one that created it, as far back as the log goes. */
const requestView = ({
  at,
  wall_at,
  method,
  path,
  status,
  ms,
  request_id,
  fault,
}: RequestAbout): TimelineRequest => ({
  at,
  wall_at,
  method,
  path: path.split('?')[0] ?? path,
  status,
  ms,
  request_id,
  fault,
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

interface Lists {
  /** The entries about the record, with only the events about it. */
  readonly changes: readonly Entry[]
  readonly called: readonly ProviderCall[]
  readonly asked: readonly RequestAbout[]
  readonly attempts: readonly TimelineAttempt[]
  /** The journal of each of its deliveries. */
  readonly deliveries: readonly (readonly Entry[])[]
  readonly wallOf: (seq: number) => number | undefined
}

/** The position of an item: by time, then by entry, then by event. */
interface Placed extends Omit<TimelinePlace, 'at' | 'wall_at'> {
  readonly at: number
  readonly seq: number
  readonly event: number
  readonly wall: number | null
}

/** The journal event for each call of the provider. */
const CALLS: Readonly<Record<ProviderCall['call'], DomainEvent['type']>> = {
  start: 'RouteFrozen',
  cancel: 'CancelRequested',
  submit_receipt: 'ReceiptSubmitted',
}

/** Sorts everything that happened, with causes before effects. */
function inOrder({ changes, called, asked, attempts, deliveries, wallOf }: Lists): TimelinePlace[] {
  const wallAt = (seq: number) => wallOf(seq) ?? null
  const events: (Placed & { readonly type: DomainEvent['type'] })[] = changes
    .flatMap(({ at, seq, events: own }) => own.map(({ type }, event) => ({ at, seq, event, type })))
    .map((place, nth) => ({ list: 'changes', nth, ...place, wall: wallAt(place.seq) }))
  const taken = new Set<number>()
  const calls = called.map(({ at, call }, nth): Placed => {
    const made = events.find(({ type, nth: of }) => type === CALLS[call] && !taken.has(of))
    if (made) taken.add(made.nth)
    const place = made ?? { at, seq: Number.POSITIVE_INFINITY, event: 0, wall: null }
    return { ...place, list: 'provider_calls', nth, event: place.event + 0.5 }
  })
  const requests = asked.map(({ cameAt: at, after, cameWall: wall }, nth): Placed => {
    return { list: 'requests', nth, at, seq: after + 0.5, event: 0, wall }
  })
  const begun = startsIn(deliveries)
  const posts = attempts.map(({ delivery, number, at, wall_at }, nth): Placed => {
    const seq = begun.get(delivery)?.[number - 1] ?? Number.POSITIVE_INFINITY
    const wall = wallAt(seq) ?? (wall_at === null ? null : Date.parse(wall_at))
    return { list: 'attempts', nth, at: Date.parse(at), seq, event: 0, wall }
  })
  return [...events, ...calls, ...requests, ...posts]
    .sort((a, b) => a.at - b.at || a.seq - b.seq || a.event - b.event)
    .map(({ list, nth, at, wall }) => ({
      list,
      nth,
      at: formatTimestamp(at),
      wall_at: wall === null ? null : formatTimestamp(wall),
    }))
}

/** The entries in which the attempts of each delivery began. */
function startsIn(deliveries: Lists['deliveries']): Map<string, number[]> {
  const begun = new Map<string, number[]>()
  for (const { seq, events } of deliveries.flat())
    for (const event of events)
      if (event.type === 'AttemptStarted')
        begun.set(event.delivery, [...(begun.get(event.delivery) ?? []), seq])
  return begun
}

interface Times {
  at: number[]
  seq: number
}

/** How many of the latest entries of each account are kept. */
const KEPT = 4096

/**
 * Remembers the wall time of recent entries. A journal has only the account's time, so that equal calls give equal
 * journals, but on a clock that jumps people want to see both.
 */
class WallTimes {
  readonly #times = new WeakMap<AccountRuntime, Times>()

  constructor(gateway: Gateway) {
    gateway.onEntry((runtime, { seq }) => {
      const times = this.#times.get(runtime) ?? this.#begin(runtime)
      times.at[seq % KEPT] = Date.now()
      times.seq = seq
    })
  }

  #begin(runtime: AccountRuntime): Times {
    const times: Times = { at: [], seq: 0 }
    this.#times.set(runtime, times)
    // After a reset or an import, the same numbers belong to other entries.
    runtime.account.onReplaced(() => Object.assign(times, { at: [], seq: 0 }))
    return times
  }

  /** Undefined for an old entry, or one of an earlier process. */
  of(runtime: AccountRuntime, seq: number): number | undefined {
    const times = this.#times.get(runtime)
    return times && seq <= times.seq && seq > times.seq - KEPT ? times.at[seq % KEPT] : undefined
  }
}

/** Why a payment, a payout, a delivery or a request is as it is. */
export function whyCalls({ requests }: ControlSettings) {
  return {
    'GET /accounts/:account/why/:id': async ({ runtime, request, answer }) => {
      const id = param(request, 'id')
      const { account } = runtime
      const { world } = account
      const isRecord = world.payments.has(id) || world.payouts.has(id) || world.deliveries.has(id)
      const asked = isRecord ? undefined : requests.answered(runtime, id)
      if (asked) return answer(200, whyRequest(asked, account.id))
      const entries = isRecord ? await account.journal.history(id) : []
      const why = isRecord && whyRecord(runtime, id, entries)
      if (why) return answer(200, why)
      throw notFound('payment, payout, delivery or recent request')
    },
  } satisfies Partial<ControlHandlers>
}
