import { parseTimestamp } from '../../contract/timestamps.ts'
import { plain } from './plain.ts'
import type { Screen } from './screen.ts'

/** `2026-11-21 22:40:03 +07:00`, in the zone of that name or, without one, in that of this machine. */
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

const UNITS = [
  { name: 'year', seconds: 365 * 86_400, from: 2 * 365 * 86_400 },
  { name: 'day', seconds: 86_400, from: 2 * 86_400 },
  { name: 'hour', seconds: 3600, from: 2 * 3600 },
  { name: 'minute', seconds: 60, from: 2 * 60 },
  { name: 'second', seconds: 1, from: 1 },
]

/** `3 minutes ago`, `in 12 minutes`: rounded down, so that what is left is never told as more than it is. */
export function relativeTime(at: number, now: number): string {
  const seconds = Math.floor(Math.abs(at - now) / 1000)
  const unit = UNITS.find(({ from }) => seconds >= from)
  if (unit === undefined) return 'now'
  const count = Math.floor(seconds / unit.seconds)
  const span = `${count} ${unit.name}${count === 1 ? '' : 's'}`
  return at < now ? `${span} ago` : `in ${span}`
}

export interface ShownTime {
  readonly value: string
  readonly note?: string
}

/** A timestamp of the API for people. One that is none is told as it came. */
export function showTime(timestamp: unknown, { timeZone, now }: Screen): ShownTime {
  const at = typeof timestamp === 'string' ? parseTimestamp(timestamp) : undefined
  if (at === undefined) return { value: plain(timestamp) }
  return { value: localTime(at, timeZone), note: relativeTime(at, now) }
}
