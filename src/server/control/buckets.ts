import type { Buckets } from '../../contract/control/overview.ts'
import { formatTimestamp } from '../../contract/timestamps.ts'

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
  const width = widthFor(until - first)
  const from = Math.floor(first / width) * width
  const count = Math.max(1, Math.floor((until - from) / width) + 1)
  const series = Object.fromEntries(kinds.map(kind => [kind, new Array<number>(count).fill(0)]))
  for (const { at, kind } of points) {
    const row = series[kind]
    const place = Math.min(count - 1, Math.floor((at - from) / width))
    if (row) row[place] = (row[place] ?? 0) + 1
  }
  return { from: formatTimestamp(from), width_ms: width, series }
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
