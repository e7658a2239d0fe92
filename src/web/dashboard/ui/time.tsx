import { awayText, dateTimeText, exactText, shortTimeText } from '../format/time.ts'
import { accountNow } from '../state/account-time.ts'

/** A time in a readable form; the form of the API is in its title. */
export function Time({ at, short }: { at: string; short?: boolean }) {
  const ms = Date.parse(at)
  return (
    <time dateTime={at} title={at}>
      {short ? shortTimeText(ms) : dateTimeText(ms)}
    </time>
  )
}

export function ExactTime({ at }: { at: string }) {
  return (
    <time dateTime={at} title={at}>
      {exactText(Date.parse(at))}
    </time>
  )
}

/** How far a time is from the account's time. It is updated as the account's time passes. */
export function Away({ at }: { at: string }) {
  const now = accountNow.value
  return (
    <time dateTime={at} title={at}>
      {now === null ? dateTimeText(Date.parse(at)) : awayText(Date.parse(at), now)}
    </time>
  )
}
