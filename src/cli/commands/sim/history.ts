import type { JournalEntry, RequestRecord, StreamMessage } from '../../../client/control-client.ts'
import type { AnswerTo } from '../../../contract/control/call.ts'
import { formatDuration } from '../../../contract/durations.ts'
import { parseTimestamp } from '../../../contract/timestamps.ts'
import { commandOf, ownCommand } from '../../control/row.ts'
import type { ControlFlags, ControlSession } from '../../control/session.ts'
import { count } from '../../flag-values.ts'
import type { OutputFlags } from '../../output/formats.ts'
import { type PageStream, type Printer, writerTo } from '../../output/printer.ts'
import { openScreen, type Screen } from '../../output/screen.ts'
import { visible, wrapTo } from '../../output/text.ts'
import { showTime } from '../../output/time.ts'
import type { View } from '../../output/view.ts'
import { wholeWhy } from '../../output/views/why.ts'
import { type EventSummary, eventSummary, paintEvent, requestWords } from './tables.ts'

export const history = commandOf('sim history', 'GET /accounts/:account/history/:id', {
  description: 'Show the history of a record: every decision about it, oldest first.',
  arguments: {
    '<id>': { about: 'id of a payment, payout, asset, delivery or endpoint', to: 'params.id' },
  },
  examples: ['paysim sim history pi_123', 'paysim sim history po_123 -o json | jq .data'],
  show: { view: ({ id }) => historyView(String(id)) },
})

/** Each journal entry with its time, its author and its events. */
const historyView = (id: string): View<AnswerTo<'GET /accounts/:account/history/:id'>> => ({
  human({ data, kept_from: keptFrom }, screen) {
    const width = widestEvent(data, screen)
    const missing =
      keptFrom === undefined ? [] : [screen.paint.dim(`The entries before #${keptFrom} are not kept.`)]
    return [
      ...missing,
      ...data.flatMap((entry, at) => [
        titleOf(entry, data[at - 1], screen),
        ...entry.events.flatMap(event =>
          eventLines(eventSummary(event, entry.at, screen), { id, width, screen }),
        ),
      ]),
    ].join('\n')
  },
  rows: ({ data }) => data,
})

function widestEvent(entries: readonly JournalEntry[], screen: Screen): number {
  const widths = entries.flatMap(({ events, at }) =>
    events.map(event => eventSummary(event, at, screen).what.length),
  )
  return widths.reduce((most, width) => Math.max(most, width), 0)
}

function titleOf({ at, by, seq }: JournalEntry, before: JournalEntry | undefined, screen: Screen): string {
  const { paint } = screen
  const passed = before ? timeBetween(before.at, at) : ''
  return [
    paint.bold(showTime(at, screen).value),
    paint.cyan(passed.padEnd(8)),
    `by ${visible(by)}`,
    paint.dim(`#${seq}`),
  ].join('  ')
}

function timeBetween(before: string, at: string): string {
  const passed = (parseTimestamp(at) ?? 0) - (parseTimestamp(before) ?? 0)
  return passed > 0 ? `+${formatDuration(passed)}` : ''
}

interface LineLayout {
  readonly id: string
  readonly width: number
  readonly screen: Screen
}

function eventLines({ what, subject, details }: EventSummary, { id, width, screen }: LineLayout): string[] {
  const text = visible([otherSubject(subject, id, details), details].filter(Boolean).join('  '))
  const indent = 4 + width
  const [first = '', ...rest] = wrapTo(text, Math.max(20, screen.width - indent), screen.widthOf)
  return [
    `  ${paintEvent(what, screen.paint)(visible(what))}${' '.repeat(width - what.length + 2)}${first}`.trimEnd(),
    ...rest.map(line => `${' '.repeat(indent)}${line}`),
  ]
}

/** The subject of an event, unless it is the record itself or clear from the details. */
function otherSubject(subject: string, id: string, details: string): string {
  if (subject === id) return ''
  const name = subject.startsWith(`${id}:`) ? subject.slice(id.length + 1) : subject
  return name === subject || details === '' ? name : ''
}

export const why = commandOf('sim why', 'GET /accounts/:account/why/:id', {
  description:
    'Say why a payment, payout, delivery or request is as it is, what comes next, and which commands would bring it.',
  arguments: {
    '<id>': { about: 'id of the record, or the Request-Id of a recent answer', to: 'params.id' },
  },
  examples: ['paysim sim why pi_123', 'paysim sim why req_123 --query sentence'],
  show: { view: { human: wholeWhy }, inAccountTime: true },
})

const KINDS = ['entries', 'requests'] as const

interface Flags extends ControlFlags {
  readonly only?: (typeof KINDS)[number]
  readonly count?: number
}

const KIND_OF = { entry: 'entries', request: 'requests', hello: undefined, overflow: undefined } as const

async function follow({ account, signal, printer, control }: ControlSession, flags: Flags): Promise<void> {
  const { only, count: most = Number.POSITIVE_INFINITY } = flags
  const pages = await messagePages(printer, flags)
  const isWanted = ({ event }: StreamMessage) => {
    const kind = KIND_OF[event]
    return kind !== undefined && (only === undefined || only === kind)
  }
  let printed = 0
  let greeted = false
  try {
    for await (const message of account.stream(signal)) {
      if (message.event === 'hello') {
        const id = visible(message.data.account)
        process.stderr.write(
          greeted
            ? `${id} was reset or imported: earlier messages no longer apply\n`
            : `following ${id}; press Ctrl-C to stop\n`,
        )
        greeted = true
      }
      if (message.event === 'overflow')
        process.stderr.write('messages came faster than they were read: some requests are not shown\n')
      if (!isWanted(message)) continue
      await pages.page(message)
      if (++printed >= most) break
    }
  } finally {
    await pages.end()
    await control.close()
  }
  signal.throwIfAborted()
}

/** Prints messages as they arrive: lines for people, records for programs. */
async function messagePages(printer: Printer, flags: OutputFlags): Promise<PageStream<StreamMessage>> {
  if (printer.format !== 'human' || flags.query !== undefined)
    return printer.stream<StreamMessage>({ human: () => '', rows: message => [message] })
  const screen = await openScreen(process.stdout, flags)
  const write = writerTo(process.stdout)
  return { page: message => write(messageLines(message, screen)), end: async () => {} }
}

function messageLines(message: StreamMessage, screen: Screen): string {
  if (message.event === 'entry') return entryLines(message.data, screen)
  if (message.event === 'request') return requestLine(message.data, screen)
  return ''
}

function entryLines({ at, by, events }: JournalEntry, screen: Screen): string {
  const { paint } = screen
  const before = `${paint.dim(showTime(at, screen).value)}  ${visible(by).padEnd(8)}`
  return events
    .map(event => {
      const { what, subject, details } = eventSummary(event, at, screen)
      return [before, paintEvent(what, paint)(visible(what)), paint.bold(visible(subject)), visible(details)]
        .filter(Boolean)
        .join('  ')
    })
    .map(line => `${line}\n`)
    .join('')
}

const requestLine = (record: RequestRecord, screen: Screen): string =>
  `${screen.paint.dim(showTime(record.at, screen).value)}  ${'request'.padEnd(8)}  ${requestWords(record, screen)}\n`

export const stream = ownCommand('sim stream', {
  description: 'Show what happens in an account as it happens, until Ctrl-C.',
  flags: {
    '--only <kind>': { about: 'show only journal entries, or only requests', choices: KINDS },
    '--count <n>': { about: 'end after this many', parse: count },
  },
  examples: [
    'paysim sim stream',
    'paysim sim stream --only requests -o jsonl',
    'paysim sim stream --only entries --count 1 && echo something happened',
  ],
  headers: false,
  run: follow,
})
