import type { Command } from 'commander'
import { type ControlFlags, controlCommand } from '../../control/flags.ts'
import { withControl } from '../../control/session.ts'
import { eventsView } from './views/records.ts'

export const command = (): Command =>
  controlCommand(
    'sim events',
    declare =>
      declare
        .description('Lists the events of an account, oldest first.')
        .addHelpText(
          'after',
          `
Examples:
  paysim sim events
  paysim sim events -o jsonl > events.jsonl`,
        )
        .action((flags: ControlFlags) =>
          withControl(flags, ({ account, show }) => show(account.events(), eventsView)),
        ),
    { list: true },
  )
