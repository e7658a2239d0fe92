const MINUTE = 60
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

// What is not quite over yet is not over: 0:00 means that the time has come.
const wholeSeconds = (ms: number) => Math.max(0, Math.ceil(ms / 1000))
const twoDigits = (count: number) => String(count).padStart(2, '0')

/** As a clock has it, in any language: 29:59, 1:00:00; days are hours. */
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

/** In words of a language, by its two largest units: `29 minutes 59 seconds`. */
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
