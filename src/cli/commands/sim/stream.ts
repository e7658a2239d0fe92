import { Option } from 'commander'
import type { JournalEntry, RequestRecord, StreamMessage } from '../../../client/control-client.ts'
import { type ControlFlags, controlCommand, examples } from '../../control/flags.ts'
import { type ControlSession, withControl } from '../../control/session.ts'
import { choice, count } from '../../flag-values.ts'
import type { OutputFlags } from '../../output/formats.ts'
import { type PageStream, type Printer, writerTo } from '../../output/printer.ts'
import { openScreen, type Screen } from '../../output/screen.ts'
import { visible } from '../../output/text.ts'
import { showTime } from '../../output/time.ts'
import { requestWords } from '../../request-line.ts'
import { eventSummary, paintEvent } from './tables.ts'

const KINDS = ['entries', 'requests'] as const

interface Flags extends ControlFlags {
  readonly only?: (typeof KINDS)[number]
  readonly count?: number
}

export function stream() {
  return controlCommand(
    'sim stream',
    command =>
      command
        .description('Show what happens in an account as it happens, until Ctrl-C.')
        .addOption(
          new Option('--only <kind>', 'show only journal entries, or only requests')
            .choices(KINDS)
            .argParser(choice(KINDS)),
        )
        .option('--count <n>', 'end after this many', count)
        .addHelpText(
          'after',
          examples(
            'paysim sim stream',
            'paysim sim stream --only requests -o jsonl',
            'paysim sim stream --only entries --count 1 && echo something happened',
          ),
        )
        .action((flags: Flags) => withControl(flags, session => follow(session, flags))),
    { headers: false },
  )
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
        const { account: id } = message.data
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
