const RFC3339 = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?(Z|[+-]\d{2}:\d{2})$/

/**
 * Strict RFC 3339 with an offset, in milliseconds since the epoch; undefined for anything else.
 * Times finer than a millisecond are rounded up: for whole-millisecond records, `t >= x` and `t < x`
 * then mean exactly what they say. `new Date()` would roll 30 February over and accept a missing offset.
 */
export function parseTimestamp(text: string): number | undefined {
  const match = RFC3339.exec(text)
  if (!match) return undefined
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const offset = parseOffset(match[8] ?? 'Z')
  if (offset === undefined || hour > 23 || minute > 59 || second > 59) return undefined
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return undefined
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  date.setUTCHours(hour, minute, second)
  return date.getTime() + Math.ceil(Number(`0.${match[7] ?? 0}`) * 1000) - offset
}

function parseOffset(text: string): number | undefined {
  if (text === 'Z') return 0
  const hours = Number(text.slice(1, 3))
  const minutes = Number(text.slice(4, 6))
  if (hours > 23 || minutes > 59) return undefined
  return (text.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60_000
}

function daysIn(year: number, month: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return [31, leap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] ?? 0
}

/** The first and the last millisecond that a timestamp can show, in the years 0000 and 9999. */
export const EARLIEST = Date.UTC(2000, 0) - 63_113_904_000_000
export const LATEST = Date.UTC(9999, 11, 31, 23, 59, 59, 999)

/** Whether a given time can be shown. An offset may lead out of these years, even if it was written in them. */
export const canBeShown = (text: string | undefined): boolean => {
  const at = text === undefined ? undefined : parseTimestamp(text)
  return at === undefined || (at >= EARLIEST && at <= LATEST)
}

export const CANNOT_BE_SHOWN = 'must be in the years 0000 to 9999 of UTC'

/** The nearest time that can be shown. */
export const shownAt = (at: number): number => Math.min(Math.max(at, EARLIEST), LATEST)

/** A time after another one. No time is later than the last one that can be shown. */
export const later = (at: number, ms: number): number => shownAt(at + ms)

const latest = new Map<number, string>()
const MOST_KEPT = 100

/** RFC 3339 UTC with milliseconds and `Z`. The latest ones are kept, because a busy server needs each many times. */
export function formatTimestamp(at: number): string {
  let text = latest.get(at)
  if (text === undefined) {
    text = new Date(at).toISOString()
    if (latest.size >= MOST_KEPT) latest.clear()
    latest.set(at, text)
  }
  return text
}
