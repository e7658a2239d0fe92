import { InvalidArgumentError } from 'commander'
import { parseDuration } from '../../../contract/durations.ts'
import { formatTimestamp, parseTimestamp } from '../../../contract/timestamps.ts'

/** A time as it was said, and as it is sent. */
export interface Instant {
  readonly said: string
  readonly sent: string
}

const DATE = /^\d{4}-\d{2}-\d{2}$/

/** RFC 3339 goes as it is; a duration is that long ago, by this machine's clock. */
export function instant(text: string): Instant {
  if (parseTimestamp(text) !== undefined) return { said: text, sent: text }
  const ago = parseDuration(text)
  if (ago !== undefined) return { said: text, sent: formatTimestamp(Date.now() - ago) }
  const hint = DATE.test(text)
    ? ` A day begins at a time, somewhere: ${text}T00:00:00Z, or with an offset.`
    : ''
  throw new InvalidArgumentError(
    `it must be a time as 2026-01-31T18:00:00+07:00, or how long ago: 12h, 7d.${hint}`,
  )
}

export function tellResolved(flag: string, { said, sent }: Instant): void {
  if (said !== sent) process.stderr.write(`${flag} ${said} is ${sent}\n`)
}
