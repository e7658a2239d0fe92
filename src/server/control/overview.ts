import { JOURNAL_VERSION, type LoggedRequest } from '../../contract/control/journal.ts'
import type { Buckets, Overview } from '../../contract/control/overview.ts'
import { DELIVERY_STATES, PAYMENT_STATUSES, PAYOUT_STATUSES } from '../../contract/statuses.ts'
import { formatTimestamp } from '../../contract/timestamps.ts'
import { changedRecord, type DomainEvent, type Entry } from '../../domain/events.ts'
import { type Facets, FROM_THE_TOP, type Position } from '../../domain/list-index.ts'
import { type Payment, type Payout, stateOf } from '../../domain/model.ts'
import { firstOf, type ListedRecords } from '../../domain/table.ts'
import { CANCELLING, type World } from '../../domain/world.ts'
import type { AccountRuntime } from '../../engine/account/open-runtime.ts'
import { whyRecord } from '../../engine/account/why-record.ts'
import type { Gateway } from '../../engine/gateway.ts'
import { refuseProblems } from '../refusal.ts'
import type { ControlHandlers, ControlSettings } from './control-call.ts'
import { clockView, namedTimer, subjectOf } from './views.ts'

/** A summary of an account: what needs somebody, what happened last, what comes next, and counts over time. */
export function overviewCalls({ gateway, requests }: ControlSettings) {
  const changed = new LastChanged(gateway)
  return {
    'GET /accounts/:account/overview': ({ runtime, answer }) => {
      const { world, now } = runtime.account
      return answer(200, {
        clock: clockView(runtime),
        needs: { failing: failingOf(world), ...needsOf(world, now) },
        feed: changed.of(runtime).flatMap(change => feedLine(runtime, change)),
        next: firstOf(world.timers.items(), MOST_NEXT).map(({ record }) => {
          const { due_at, command, record: about } = namedTimer(world, record)
          return { due_at, command, record: about }
        }),
        payments: { total: world.payments.size, ...countsOf(world.payments, PAYMENT_STATUSES, now) },
        payouts: {
          total: world.payouts.size,
          by_status: tally(PAYOUT_STATUSES, status => world.payouts.count(facets => facets[2] === status)),
        },
        webhooks: { endpoints: world.endpoints.size, ...countsOf(world.deliveries, DELIVERY_STATES, now) },
        requests: requestRates(requests.of(runtime)),
      })
    },
  } satisfies Partial<ControlHandlers>
}

const HOUR_MS = 3_600_000
const MOST_NEXT = 10

/** The endpoints with deliveries that fail, with what the newest one got. */
const failingOf = ({ deliveries, endpoints }: World): Overview['needs']['failing'] =>
  [...endpoints.values()].flatMap(({ id, url }) => {
    const matches = ([state, endpoint]: Facets) => state === 'failing' && endpoint === id
    const [newest] = firstOf(deliveries.below(FROM_THE_TOP, matches), 1)
    const last = newest?.record.attempts.findLast(({ result }) => result)?.result
    if (!last) return []
    const { status: last_status, error: last_error } = last
    return [{ endpoint: id, url, deliveries: deliveries.count(matches), last_status, last_error }]
  })

function needsOf({ payments, timers }: World, now: number): Omit<Overview['needs'], 'failing'> {
  return {
    receipts_rejected: payments.count(facets => facets[4] === 'rejected'),
    cancelling: payments.count(facets => facets[5] === CANCELLING),
    due_in_an_hour: timers.dueBefore(now + HOUR_MS),
  }
}

/** A record that changed, with what says how it ended, if that was noted. */
interface Change {
  readonly id: string
  readonly at: number
  readonly entry?: Pick<Entry, 'at' | 'by' | 'events'>
}
/** The order of what happens at the same time. */
interface Noted extends Change {
  readonly nth: number
}

/** How many are kept of each account: of payments and payouts, and of deliveries, which are many while a receiver fails. */
const KEPT = { record: 14, delivery: 6 }
type Kind = keyof typeof KEPT
type Changes = { readonly [K in Kind]: Map<string, Noted> }

/** The records that changed last. */
class LastChanged {
  /** Oldest first. */
  readonly #changes = new WeakMap<AccountRuntime, Changes>()
  #count = 0

  constructor(gateway: Gateway) {
    gateway.onEntry((runtime, { at, by, events }) => {
      let entry: Change['entry']
      for (const event of events) {
        const record = changedRecord(event)
        const id = record ?? (event.type === 'AttemptEnded' ? event.delivery : undefined)
        if (id === undefined) continue
        entry ??= { at, by, events: essentials(events) }
        const change = { id, at, nth: ++this.#count, entry }
        this.#note(runtime, record === undefined ? 'delivery' : 'record', change)
      }
    })
  }

  #note(runtime: AccountRuntime, kind: Kind, change: Noted): void {
    const changes = (this.#changes.get(runtime) ?? this.#begin(runtime))[kind]
    // What changed again moves to the end.
    changes.delete(change.id)
    changes.set(change.id, change)
    if (changes.size <= KEPT[kind]) return
    const [oldest] = changes.keys()
    if (oldest !== undefined) changes.delete(oldest)
  }

  #begin(runtime: AccountRuntime): Changes {
    const changes = { record: new Map<string, Noted>(), delivery: new Map<string, Noted>() }
    this.#changes.set(runtime, changes)
    // After a reset or an import, these records are no more.
    runtime.account.onReplaced(() => {
      changes.record.clear()
      changes.delivery.clear()
    })
    return changes
  }

  /** Newest first. Changes are noted from the first call of the control surface on; before them come the newest records. */
  of(runtime: AccountRuntime): Change[] {
    const { record, delivery } = this.#changes.get(runtime) ?? this.#begin(runtime)
    const noted = [...record.values(), ...delivery.values()].sort((a, b) => b.nth - a.nth)
    return [...noted, ...newest(runtime.account.world, record)]
  }
}

/** The newest payments and payouts that are not among the noted ones, as many as those leave room for. */
function newest({ payments, payouts }: World, noted: ReadonlyMap<string, Change>): Change[] {
  const room = KEPT.record - noted.size
  if (room <= 0) return []
  const newestOf = (records: ListedRecords<Payment | Payout>) =>
    firstOf(
      records.below(FROM_THE_TOP, () => true),
      KEPT.record,
    )
  return [...newestOf(payments), ...newestOf(payouts)]
    .map(({ record: { sortKey, updatedAt } }) => ({ id: sortKey.id, at: updatedAt }))
    .filter(({ id }) => !noted.has(id))
    .sort((a, b) => b.at - a.at)
    .slice(0, room)
}

/** Of an entry, what says who ended a record: the rest, such as whole payments, would take memory for nothing. */
function essentials(events: readonly DomainEvent[]): DomainEvent[] {
  const kept: DomainEvent[] = []
  for (const event of events)
    if (event.type === 'TimerFired') kept.push(event)
    else if ('payment' in event) kept.push({ type: event.type, payment: event.payment } as DomainEvent)
    else if ('payout' in event) kept.push({ type: event.type, payout: event.payout } as DomainEvent)
  return kept
}

function feedLine(runtime: AccountRuntime, { id, at, entry }: Change): Overview['feed'] {
  const { world } = runtime.account
  const why = whyRecord(runtime, id, entry ? [{ v: JOURNAL_VERSION, seq: 1, ...entry }] : [])
  if (!why || why.kind === 'request') return []
  const { kind, status, sentence } = why
  const delivery = world.deliveries.get(id)
  const record = world.payments.get(id) ?? world.payouts.get(id) ?? subjectOf(world, delivery)
  const name = record?.merchantReference ?? record?.sortKey.id ?? id
  return [
    { at: formatTimestamp(at), id, kind, name, status: delivery ? stateOf(delivery) : status, sentence },
  ]
}

const tally = <V>(kinds: readonly string[], of: (kind: string) => V) =>
  Object.fromEntries(kinds.map(kind => [kind, of(kind)]))

/** By status, which is the first facet of the list: all of them, and by the time of their creation. */
function countsOf<T>(list: ListedRecords<T>, statuses: readonly string[], now: number) {
  const { firstAt } = list
  const count = (status: string, from?: Position, to?: Position) =>
    list.count(facets => facets[0] === status, from, to)
  const by_status = tally(statuses, status => count(status))
  const overTime = ({ from, width, count: buckets }: ReturnType<typeof axisOf>): Buckets => {
    const startOf = (nth: number) => (nth < buckets ? { at: from + nth * width, ordinal: 0 } : FROM_THE_TOP)
    const countsIn = (status: string) =>
      Array.from({ length: buckets }, (_, nth) =>
        by_status[status] === 0 ? 0 : count(status, startOf(nth), startOf(nth + 1)),
      )
    return { from: formatTimestamp(from), width_ms: width, series: tally(statuses, countsIn) }
  }
  return { by_status, over_time: firstAt === undefined ? null : overTime(axisOf(firstAt, now)) }
}

/** By the wall clock, because the server's speed does not depend on the account's time. */
function requestRates(log: readonly LoggedRequest[]): Overview['requests'] {
  const logged = log.map(({ wall_at, status, ms }) => ({ at: Date.parse(wall_at), status, value: ms }))
  const last = logged[0]?.at ?? 0
  const kindOf = (status: number) =>
    status >= 500 ? 'server_errors' : status >= 400 ? 'client_errors' : 'succeeded'
  const kinds = logged.map(({ at, status }) => ({ at, kind: kindOf(status) }))
  const over_time = bucketsOf(['succeeded', 'client_errors', 'server_errors'], kinds, last)
  const times = over_time ? valuesIn(over_time, logged) : []
  const all = logged.map(({ value }) => value)
  return {
    logged: logged.length,
    p50_ms: quantile(all, 0.5),
    p95_ms: quantile(all, 0.95),
    over_time,
    p50_over_time: times.map(row => quantile(row, 0.5)),
    p95_over_time: times.map(row => quantile(row, 0.95)),
  }
}

interface ChartPoint {
  readonly at: number
  readonly kind: string
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
/** Widths that look good on an axis. */
const WIDTHS = [
  ...[1, 2, 5, 10, 15, 30].map(n => n * SECOND),
  ...[1, 2, 5, 10, 15, 30].map(n => n * MINUTE),
  ...[1, 2, 3, 6, 12].map(n => n * HOUR),
  ...[1, 2, 7, 14, 30, 90, 365].map(n => n * DAY),
]
const MOST_BUCKETS = 48

/** From the first event to the last requested time, in few enough steps that each is visible. */
export function bucketsOf(
  kinds: readonly string[],
  points: readonly ChartPoint[],
  until: number,
): Buckets | null {
  if (points.length === 0) return null
  const first = points.reduce((least, { at }) => Math.min(least, at), until)
  const { from, width, count } = axisOf(first, until)
  const series = Object.fromEntries(kinds.map(kind => [kind, new Array<number>(count).fill(0)]))
  for (const { at, kind } of points) {
    const row = series[kind]
    const place = Math.min(count - 1, Math.floor((at - from) / width))
    if (row) row[place] = (row[place] ?? 0) + 1
  }
  return { from: formatTimestamp(from), width_ms: width, series }
}

function axisOf(first: number, until: number) {
  const width = widthFor(until - first)
  const from = Math.floor(first / width) * width
  return { from, width, count: Math.max(1, Math.floor((until - from) / width) + 1) }
}

const widthFor = (span: number) =>
  WIDTHS.find(width => span / width < MOST_BUCKETS) ?? Math.ceil(span / MOST_BUCKETS)

/** The values in each bucket, for statistics that need more than a count. */
export function valuesIn(
  { from, width_ms, series }: Buckets,
  values: readonly { readonly at: number; readonly value: number }[],
): number[][] {
  const count = Object.values(series)[0]?.length ?? 0
  const rows: number[][] = Array.from({ length: count }, () => [])
  for (const { at, value } of values) rows[Math.floor((at - Date.parse(from)) / width_ms)]?.push(value)
  return rows
}

/** Null for an empty list. */
export function quantile(values: readonly number[], share: number): number | null {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? null
}

/** How much faster than the wall clock: 60, or `60x`. */
export function rateIn(rate: number | string | undefined): number {
  if (rate === undefined) return 1
  const value = typeof rate === 'number' ? rate : Number(/^(\d+(?:\.\d+)?)x?$/.exec(rate)?.[1] ?? Number.NaN)
  if (value > 0 && value <= 1_000_000) return value
  throw refuseProblems([{ field: 'rate', message: 'must be a factor above 0, such as 60 or 60x' }])
}
