import type { Command } from 'commander'
import { type ControlFlags, controlCommand } from '../../../control/flags.ts'
import { withControl } from '../../../control/session.ts'
import { requestsView } from '../views/records.ts'

export const command = (): Command =>
  controlCommand(
    'sim requests list',
    declare =>
      declare
        .description(
          'Lists the last 500 requests of an account, newest first, with members of bodies that nothing read.',
        )
        .addHelpText(
          'after',
          `
Examples:
  paysim sim requests
  paysim sim requests list -o jsonl | grep '"status":4'`,
        )
        .action((flags: ControlFlags) =>
          withControl(flags, ({ account, show }) => show(account.requests(), requestsView)),
        ),
    { list: true },
  )
