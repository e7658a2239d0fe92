import type { Command } from 'commander'
import { type ControlFlags, controlCommand } from '../../../control/flags.ts'
import { withControl } from '../../../control/session.ts'
import { deliveriesView } from '../views/records.ts'

export const command = (): Command =>
  controlCommand(
    'sim deliveries list',
    declare =>
      declare
        .description('Lists the deliveries of events to webhook endpoints, oldest first.')
        .addHelpText(
          'after',
          `
Examples:
  paysim sim deliveries
  paysim sim deliveries list -o jsonl | grep failed`,
        )
        .action((flags: ControlFlags) =>
          withControl(flags, ({ account, show }) => show(account.deliveries(), deliveriesView)),
        ),
    { list: true },
  )
