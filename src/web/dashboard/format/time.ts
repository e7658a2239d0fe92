const DATE = new Intl.DateTimeFormat('en-GB', { day: '2-digit', month: 'short', year: 'numeric' })
const SHORT_DATE = new Intl.DateTimeFormat('en-GB', { day: '2-digit', month: 'short' })
const TIME = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })

export const dateTimeText = (at: number) => `${DATE.format(at)}, ${TIME.format(at)}`
export const shortTimeText = (at: number) => `${SHORT_DATE.format(at)}, ${TIME.format(at)}`
export const timeText = (at: number) => TIME.format(at)
/** With milliseconds, for times that are close together. */
export const exactText = (at: number) => `${shortTimeText(at)}.${String(at % 1000).padStart(3, '0')}`

const UNITS: readonly (readonly [name: string, ms: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
]

/** The two largest units: `2 d 3 h`, `5 s`, `120 ms`. */
export function spanText(ms: number): string {
  const size = Math.abs(ms)
  const first = UNITS.findIndex(([, unit]) => size >= unit)
  if (first === -1) return `${Math.round(size)} ms`
  const [name, unit] = UNITS[first] ?? ['s', 1000]
  const whole = Math.floor(size / unit)
  const next = UNITS[first + 1]
  const rest = next ? Math.floor((size - whole * unit) / next[1]) : 0
  return next && rest > 0 ? `${whole} ${name} ${rest} ${next[0]}` : `${whole} ${name}`
}

export function awayText(at: number, now: number): string {
  const away = at - now
  if (Math.abs(away) < 1000) return 'now'
  return away > 0 ? `in ${spanText(away)}` : `${spanText(away)} ago`
}
