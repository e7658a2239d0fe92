const UNITS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }
const SHORT = /^(?:\d+(?:\.\d+)?(?:ms|s|m|h|d))+$/
const SHORT_PART = /(\d+(?:\.\d+)?)(ms|s|m|h|d)/g
const ISO = /^P(?:(\d+)W)?(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/

/** The same as a pattern, for documents: other programs know a `duration` only as ISO 8601. */
export const DURATION_PATTERN = '^((\\d+(\\.\\d+)?(ms|s|m|h|d))+|P[0-9WDTHMS.]+)$'

/** A hundred years: a time that far away is still a valid date. */
export const LONGEST_MS = 36_525 * 86_400_000

/**
 * `250ms`, `5s`, `1h30m`, `7d` or ISO 8601 (`PT5M`), in milliseconds; undefined if the text is not a duration.
 */
export function parseDuration(text: string): number | undefined {
  const total = SHORT.test(text) ? parseShort(text) : parseIso(text)
  return total !== undefined && total <= LONGEST_MS ? total : undefined
}

function parseShort(text: string): number {
  let total = 0
  for (const [, amount, unit] of text.matchAll(SHORT_PART))
    total += Number(amount) * (UNITS[unit ?? ''] ?? Number.NaN)
  return Math.round(total)
}

function parseIso(text: string): number | undefined {
  const parts = ISO.exec(text)?.slice(1)
  if (!parts?.some(part => part !== undefined)) return undefined
  const scale = [7 * 86_400_000, 86_400_000, 3_600_000, 60_000, 1000]
  return Math.round(parts.reduce((total, part, index) => total + Number(part ?? 0) * (scale[index] ?? 0), 0))
}

/** The shortest text that `parseDuration` reads back as this duration: 5400000 is `1h30m`. */
export function formatDuration(durationMs: number): string {
  let rest = durationMs
  let text = ''
  for (const unit of ['d', 'h', 'm', 's', 'ms']) {
    const size = UNITS[unit] ?? 1
    const count = Math.floor(rest / size)
    if (count > 0) text += `${count}${unit}`
    rest -= count * size
  }
  return text || '0s'
}

const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

// Rounds up, so that 0:00 means that the time is over.
const wholeSeconds = (ms: number) => Math.max(0, Math.ceil(ms / 1000))
const twoDigits = (count: number) => String(count).padStart(2, '0')

/** In digits for any language: 29:59, 1:00:00. Days are shown as hours. */
function clockFace(ms: number): string {
  const seconds = wholeSeconds(ms)
  const hours = Math.floor(seconds / HOUR)
  const minutes = Math.floor((seconds % HOUR) / MINUTE)
  const rest = twoDigits(seconds % MINUTE)
  return hours > 0 ? `${hours}:${twoDigits(minutes)}:${rest}` : `${minutes}:${rest}`
}

/** The time that is left: a clock face within a day, and words for what nobody counts in hours. */
export const timeLeft = (ms: number, locale: string): string =>
  wholeSeconds(ms) > DAY ? spellTime(ms, locale) : clockFace(ms)

const SPELLED = [
  ['day', DAY],
  ['hour', HOUR],
  ['minute', MINUTE],
  ['second', 1],
] as const

/** In the words of a language, with the two largest units: `29 minutes 59 seconds`. */
export function spellTime(ms: number, locale: string): string {
  let rest = wholeSeconds(ms)
  const parts: string[] = []
  for (const [unit, size] of SPELLED) {
    const count = Math.floor(rest / size)
    rest %= size
    const isLast = unit === 'second' && parts.length === 0
    if ((count > 0 || isLast) && parts.length < 2) parts.push(inUnit(count, unit, locale))
  }
  return parts.join(' ')
}

const inUnit = (count: number, unit: string, locale: string) =>
  new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(count)
