/** Lengths of time for instants relative to one another, because no test expects the clock to have a certain date. */

export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

export const RFC_3339_UTC_MS = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

export const shifted = (instant: string, byMs: number): string =>
  new Date(Date.parse(instant) + byMs).toISOString()

export const msBetween = (earlier: string, later: string): number => Date.parse(later) - Date.parse(earlier)

/** The same instant, written in another offset, as `+07:00`. */
export function inOffset(instant: string, offset: string): string {
  const sign = offset.startsWith('-') ? -1 : 1
  const [hours = 0, minutes = 0] = offset.slice(1).split(':').map(Number)
  return shifted(instant, sign * (hours * HOUR + minutes * MINUTE)).replace('Z', offset)
}
