import type { Command } from 'commander'
import { type ControlFlags, controlCommand } from '../../../control/flags.ts'
import { withControl } from '../../../control/session.ts'
import { faultsView } from '../views/rules.ts'

export const command = (): Command =>
  controlCommand('sim faults list', declare =>
    declare
      .description('Shows what goes wrong on the wire, and how often each fault happened.')
      .addHelpText(
        'after',
        `
Examples:
  paysim sim faults
  paysim sim faults list -o yaml --query faults > faults.yaml`,
      )
      .action((flags: ControlFlags) =>
        withControl(flags, ({ account, show }) => show(account.faults.get(), faultsView)),
      ),
  )
