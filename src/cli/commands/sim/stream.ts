import { type Command, Option } from 'commander'
import type { StreamMessage } from '../../../client/control-client.ts'
import { type ControlFlags, controlCommand } from '../../control/flags.ts'
import { type ControlSession, withControl } from '../../control/session.ts'
import { choice, count } from '../../flag-values.ts'
import { streamPages } from './stream-pages.ts'

const KINDS = ['entries', 'requests'] as const

interface Flags extends ControlFlags {
  readonly only?: (typeof KINDS)[number]
  readonly count?: number
}

export const command = (): Command =>
  controlCommand(
    'sim stream',
    declare =>
      declare
        .description('Tells what happens in an account as it happens, until Ctrl-C.')
        .addOption(
          new Option('--only <kind>', 'decisions, or requests').choices(KINDS).argParser(choice(KINDS)),
        )
        .option('--count <n>', 'end after so many', count)
        .addHelpText(
          'after',
          `
Examples:
  paysim sim stream
  paysim sim stream --only requests -o jsonl
  paysim sim stream --only entries --count 1 && echo something happened`,
        )
        .action((flags: Flags) => withControl(flags, session => follow(session, flags))),
    { headers: false },
  )

const KIND_OF = { entry: 'entries', request: 'requests', hello: undefined } as const

async function follow({ account, signal, printer, control }: ControlSession, flags: Flags): Promise<void> {
  const { only, count: most = Number.POSITIVE_INFINITY } = flags
  const pages = await streamPages(printer, flags)
  const wanted = ({ event }: StreamMessage) => {
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
            ? `${id} was reset or imported: what was told before is gone\n`
            : `following ${id}; Ctrl-C ends it\n`,
        )
        greeted = true
      }
      if (!wanted(message)) continue
      await pages.page(message)
      if (++printed >= most) break
    }
  } finally {
    await pages.end()
    await control.close()
  }
  signal.throwIfAborted()
}
