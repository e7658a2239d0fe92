import type { Command } from 'commander'
import { type ControlFlags, controlCommand } from '../../../control/flags.ts'
import { withControl } from '../../../control/session.ts'
import { faultsView } from '../views/rules.ts'

export const command = (): Command =>
  controlCommand('sim faults clear', declare =>
    declare
      .description('Takes all faults away: nothing goes wrong any more.')
      .addHelpText(
        'after',
        `
Examples:
  paysim sim faults clear`,
      )
      .action((flags: ControlFlags) =>
        withControl(flags, ({ account, show }) => show(account.faults.clear(), faultsView)),
      ),
  )
