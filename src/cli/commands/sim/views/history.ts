import type { JournalEntry } from '../../../../client/control-client.ts'
import { formatDuration } from '../../../../contract/durations.ts'
import { parseTimestamp } from '../../../../contract/timestamps.ts'
import type { Screen } from '../../../output/screen.ts'
import { visible, wrapTo } from '../../../output/text.ts'
import { showTime } from '../../../output/time.ts'
import type { View } from '../../../output/view.ts'
import { eventSummary } from './event-summary.ts'
import type { Listed } from './list-view.ts'
import { toneOf } from './tone.ts'

/** A record's life as a log: each decision with its time, who made it, and what came of it. */
export const historyView = (id: string): View<Listed<JournalEntry>> => ({
  human({ data }, screen) {
    const width = whatWidth(data, screen)
    return data
      .flatMap((entry, at) => [
        titleOf(entry, data[at - 1], screen),
        ...entry.events.flatMap(event => lines(eventSummary(event, entry.at, screen), { id, width, screen })),
      ])
      .join('\n')
  },
  rows: ({ data }) => data,
})

function whatWidth(entries: readonly JournalEntry[], screen: Screen): number {
  const widths = entries.flatMap(({ events, at }) =>
    events.map(event => eventSummary(event, at, screen).what.length),
  )
  return widths.reduce((most, width) => Math.max(most, width), 0)
}

function titleOf({ at, by, seq }: JournalEntry, before: JournalEntry | undefined, screen: Screen): string {
  const { paint } = screen
  const passed = before ? sinceThen(at, before.at) : ''
  return [
    paint.bold(showTime(at, screen).value),
    paint.cyan(passed.padEnd(8)),
    `by ${visible(by)}`,
    paint.dim(`#${seq}`),
  ].join('  ')
}

function sinceThen(at: string, before: string): string {
  const passed = (parseTimestamp(at) ?? 0) - (parseTimestamp(before) ?? 0)
  return passed > 0 ? `+${formatDuration(passed)}` : ''
}

interface LineLayout {
  readonly id: string
  readonly width: number
  readonly screen: Screen
}

function lines(
  { what, subject, more }: ReturnType<typeof eventSummary>,
  { id, width, screen }: LineLayout,
): string[] {
  const text = visible([named(subject, id, more), more].filter(Boolean).join('  '))
  const indent = 4 + width
  const [first = '', ...rest] = wrapTo(text, Math.max(20, screen.width - indent), screen.widthOf)
  return [
    `  ${toneOf(what, screen.paint)(visible(what))}${' '.repeat(width - what.length + 2)}${first}`.trimEnd(),
    ...rest.map(line => `${' '.repeat(indent)}${line}`),
  ]
}

/** Whose history it is need not be said in each line of it, nor what the rest of a line says anyway. */
function named(subject: string, id: string, more: string): string {
  if (subject === id) return ''
  const name = subject.startsWith(`${id}:`) ? subject.slice(id.length + 1) : subject
  return name === subject || more === '' ? name : ''
}
