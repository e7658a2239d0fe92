import type { Command } from 'commander'
import { type ControlFlags, controlCommand } from '../../../control/flags.ts'
import { withControl } from '../../../control/session.ts'
import { assetsView } from '../views/records.ts'

export const command = (): Command =>
  controlCommand(
    'sim assets list',
    declare =>
      declare
        .description('Lists the images an account holds.')
        .addHelpText(
          'after',
          `
Examples:
  paysim sim assets
  paysim sim assets list -o csv > assets.csv`,
        )
        .action((flags: ControlFlags) =>
          withControl(flags, ({ account, show }) => show(account.assets.list(), assetsView)),
        ),
    { list: true },
  )
