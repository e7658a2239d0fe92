import type { Command } from 'commander'
import { type ControlFlags, controlCommand } from '../../../control/flags.ts'
import { withControl } from '../../../control/session.ts'
import { merchantsView } from '../views/merchants.ts'

export const command = (): Command =>
  controlCommand(
    'sim merchants list',
    declare =>
      declare
        .description('Lists the merchants, with the public key of each account.')
        .addHelpText(
          'after',
          `
Examples:
  paysim sim merchants list
  paysim sim merchants list -o json --query "data[].id"`,
        )
        .action((flags: ControlFlags) =>
          withControl(flags, ({ control, show }) => show(control.merchants.list(), merchantsView)),
        ),
    { account: false, list: true },
  )
