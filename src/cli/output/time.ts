import { parseTimestamp } from '../../contract/timestamps.ts'
import { plain } from './members.ts'
import type { Screen } from './screen.ts'

/** `2026-11-21 22:40:03 +07:00` in a time zone, or in that of this machine. */
export function localTime(at: number, timeZone: string): string {
  const offset = timeZone === '' ? -new Date(at).getTimezoneOffset() : offsetIn(timeZone, at)
  const shifted = new Date(at + offset * 60_000).toISOString()
  return `${shifted.replace('T', ' ').replace(/\.\d+Z$/, '')} ${spelledOffset(offset)}`
}

function spelledOffset(minutes: number): string {
  const two = (count: number) => String(Math.trunc(count)).padStart(2, '0')
  const size = Math.abs(minutes)
  return `${minutes < 0 ? '-' : '+'}${two(size / 60)}:${two(size % 60)}`
}

const formats = new Map<string, Intl.DateTimeFormat>()

function offsetIn(timeZone: string, at: number): number {
  const format =
    formats.get(timeZone) ?? new Intl.DateTimeFormat('en', { timeZone, timeZoneName: 'longOffset' })
  formats.set(timeZone, format)
  const name = format.formatToParts(at).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  const [, sign, hours = 0, minutes = 0] = /([+-])(\d+):(\d+)/.exec(name) ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
}

/** A unit is used up to two of the next one. */
const UNITS = [
  { name: 'second', seconds: 1, below: 2 * 60 },
  { name: 'minute', seconds: 60, below: 2 * 60 },
  { name: 'hour', seconds: 3600, below: 2 * 24 },
  { name: 'day', seconds: 86_400, below: 2 * 365 },
  { name: 'year', seconds: 365 * 86_400, below: Number.POSITIVE_INFINITY },
]

/** `3 minutes ago`, `in 12 minutes`. Rounded to the nearest, so that it still says 3 days a second after a start. */
export function relativeTime(at: number, now: number): string {
  const seconds = Math.abs(at - now) / 1000
  if (seconds < 1) return 'now'
  const counts = UNITS.map(unit => ({ ...unit, count: Math.round(seconds / unit.seconds) }))
  const unit = counts.find(({ count, below }) => count < below)
  if (unit === undefined) return 'now'
  const { count } = unit
  const span = `${count} ${unit.name}${count === 1 ? '' : 's'}`
  return at < now ? `${span} ago` : `in ${span}`
}

export interface ShownTime {
  readonly value: string
  readonly note?: string
}

/** A timestamp of the API for people. Any other value is shown unchanged. */
export function showTime(timestamp: unknown, { timeZone, now }: Screen): ShownTime {
  const at = typeof timestamp === 'string' ? parseTimestamp(timestamp) : undefined
  if (at === undefined) return { value: plain(timestamp) }
  return { value: localTime(at, timeZone), note: relativeTime(at, now) }
}
