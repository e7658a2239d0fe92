import type { Command } from 'commander'
import { type ControlFlags, controlCommand } from '../../../control/flags.ts'
import { withControl } from '../../../control/session.ts'
import { keysView } from '../views/keys.ts'

interface Flags extends ControlFlags {
  readonly reveal?: true
}

export const command = (): Command =>
  controlCommand(
    'sim keys list',
    declare =>
      declare
        .description('Lists the key pairs of an account. Secrets are hidden; -o json has them as they are.')
        .option('--reveal', 'show secret keys')
        .addHelpText(
          'after',
          `
Examples:
  paysim sim keys list --account shop.live
  paysim sim keys list --reveal`,
        )
        .action((flags: Flags) =>
          withControl(flags, ({ account, show }) =>
            show(account.keys.list(), keysView(flags.reveal ?? false)),
          ),
        ),
    { list: true },
  )
