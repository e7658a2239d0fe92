import { awayText, dateTimeText, exactText, shortTimeText } from '../format/time.ts'
import { accountNow } from '../state/account-time.ts'

/** A moment as a person reads it; as the API writes it, on demand. */
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

/** How far it is from the account's time, and stays so while that passes. */
export function Away({ at }: { at: string }) {
  const now = accountNow.value
  return (
    <time dateTime={at} title={at}>
      {now === null ? dateTimeText(Date.parse(at)) : awayText(Date.parse(at), now)}
    </time>
  )
}
