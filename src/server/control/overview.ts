import type { LoggedRequest } from '../../contract/control/journal.ts'
import type { Buckets, Overview } from '../../contract/control/overview.ts'
import { DELIVERY_STATUSES, PAYMENT_STATUSES, PAYOUT_STATUSES } from '../../contract/statuses.ts'
import { formatTimestamp } from '../../contract/timestamps.ts'
import { FROM_THE_TOP } from '../../domain/list-index.ts'
import type { World } from '../../domain/world.ts'
import { refuseProblems } from '../refusal.ts'
import type { ControlHandlers, ControlSettings } from './control-call.ts'
import { clockView } from './views.ts'

/** A summary of an account. */
export function overviewCalls({ requests }: ControlSettings) {
  return {
    'GET /accounts/:account/overview': ({ runtime, answer }) => {
      const { world, now } = runtime.account
      return answer(200, {
        clock: clockView(runtime),
        payments: {
          total: world.payments.size,
          by_status: tally(PAYMENT_STATUSES, status => world.payments.count(facets => facets[0] === status)),
          over_time: paymentsOverTime(world, now),
        },
        payouts: {
          total: world.payouts.size,
          by_status: tally(PAYOUT_STATUSES, status => world.payouts.count(facets => facets[2] === status)),
        },
        webhooks: webhooks(world, now),
        requests: requestRates(requests.of(runtime)),
      })
    },
  } satisfies Partial<ControlHandlers>
}

const tally = <K extends string>(kinds: readonly K[], count: (kind: K) => number) =>
  Object.fromEntries(kinds.map(kind => [kind, count(kind)]))

function paymentsOverTime({ payments }: World, now: number): Buckets | null {
  const first = payments.firstAt
  if (first === undefined) return null
  const { from, width, count } = axisOf(first, now)
  const startOf = (nth: number) => (nth < count ? { at: from + nth * width, ordinal: 0 } : FROM_THE_TOP)
  const series = PAYMENT_STATUSES.map(status => [
    status,
    Array.from({ length: count }, (_, nth) =>
      payments.count(facets => facets[0] === status, startOf(nth), startOf(nth + 1)),
    ),
  ])
  return { from: formatTimestamp(from), width_ms: width, series: Object.fromEntries(series) }
}

function webhooks({ webhookCounts, endpoints }: World, now: number): Overview['webhooks'] {
  const attempts = [...webhookCounts.attempts].flatMap(({ from: at, succeeded, failed }) => [
    { at, kind: 'succeeded', count: succeeded },
    { at, kind: 'failed', count: failed },
  ])
  return {
    endpoints: endpoints.size,
    by_status: tally(DELIVERY_STATUSES, status => webhookCounts.withStatus(status)),
    attempts_over_time: bucketsOf(['succeeded', 'failed'], attempts, now),
  }
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
  /** 1 if it is not given. */
  readonly count?: number
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
  for (const { at, kind, count: more = 1 } of points) {
    const row = series[kind]
    const place = Math.min(count - 1, Math.floor((at - from) / width))
    if (row) row[place] = (row[place] ?? 0) + more
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
