const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

// Rounds up, so that 0:00 means that the time is over.
const wholeSeconds = (ms: number) => Math.max(0, Math.ceil(ms / 1000))
const twoDigits = (count: number) => String(count).padStart(2, '0')

/** In digits for any language: 29:59, 1:00:00. Days are shown as hours. */
export function clockFace(ms: number): string {
  const seconds = wholeSeconds(ms)
  const hours = Math.floor(seconds / HOUR)
  const minutes = Math.floor((seconds % HOUR) / MINUTE)
  const rest = twoDigits(seconds % MINUTE)
  return hours > 0 ? `${hours}:${twoDigits(minutes)}:${rest}` : `${minutes}:${rest}`
}

const UNITS = [
  ['day', DAY],
  ['hour', HOUR],
  ['minute', MINUTE],
  ['second', 1],
] as const

/** In the words of a language, with the two largest units: `29 minutes 59 seconds`. */
export function spellTime(ms: number, locale: string): string {
  let rest = wholeSeconds(ms)
  const parts: string[] = []
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size)
    rest %= size
    const isLast = unit === 'second' && parts.length === 0
    if ((count > 0 || isLast) && parts.length < 2) parts.push(inUnit(count, unit, locale))
  }
  return parts.join(' ')
}

const inUnit = (count: number, unit: string, locale: string) =>
  new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' }).format(count)
