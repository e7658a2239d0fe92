import type { Command } from 'commander'
import { type ControlFlags, controlCommand } from '../../../control/flags.ts'
import { withControl } from '../../../control/session.ts'
import { endpointsView } from '../views/records.ts'

interface Flags extends ControlFlags {
  readonly reveal?: true
}

export const command = (): Command =>
  controlCommand(
    'sim endpoints list',
    declare =>
      declare
        .description(
          'Lists the webhook endpoints of an account. Secrets are hidden; -o json has them as they are.',
        )
        .option('--reveal', 'show signing secrets')
        .addHelpText(
          'after',
          `
Examples:
  paysim sim endpoints
  paysim sim endpoints list --reveal`,
        )
        .action((flags: Flags) =>
          withControl(flags, ({ account, show }) =>
            show(account.webhookEndpoints.list(), endpointsView(flags.reveal ?? false)),
          ),
        ),
    { list: true },
  )
