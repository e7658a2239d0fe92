import type { JournalEntry, LoggedRequest, StreamMessage } from '../../../../client/control-client.ts'
import type { Screen } from '../../../output/screen.ts'
import { paintHttpStatus } from '../../../output/status.ts'
import { visible } from '../../../output/text.ts'
import { showTime } from '../../../output/time.ts'
import { eventSummary } from './event-summary.ts'
import { toneOf } from './tone.ts'

/** A message of the stream, in a line or a few. */
export function streamLines(message: StreamMessage, screen: Screen): string {
  if (message.event === 'entry') return entryLines(message.data, screen)
  if (message.event === 'request') return requestLine(message.data, screen)
  return ''
}

function entryLines({ at, by, events }: JournalEntry, screen: Screen): string {
  const { paint } = screen
  const before = `${paint.dim(showTime(at, screen).value)}  ${visible(by).padEnd(8)}`
  return events
    .map(event => {
      const { what, subject, more } = eventSummary(event, at, screen)
      const tone = toneOf(what, paint)
      return [before, tone(visible(what)), paint.bold(visible(subject)), visible(more)]
        .filter(Boolean)
        .join('  ')
    })
    .map(line => `${line}\n`)
    .join('')
}

function requestLine({ at, method, path, status, ms, ignored }: LoggedRequest, screen: Screen): string {
  const { paint } = screen
  const unread = ignored.length === 0 ? '' : `  ${paint.yellow(`ignored: ${visible(ignored.join(', '))}`)}`
  const call = `${visible(method)} ${visible(path)}`
  return `${paint.dim(showTime(at, screen).value)}  ${'request'.padEnd(8)}  ${call}  ${paintHttpStatus(status, paint)}  ${paint.dim(`${Math.round(ms)} ms`)}${unread}\n`
}
