import type { Command } from 'commander'
import { type ControlFlags, controlCommand } from '../../control/flags.ts'
import { withControl } from '../../control/session.ts'
import { decisionsView } from './views/server.ts'

export const command = (): Command =>
  controlCommand(
    'sim contract',
    declare =>
      declare
        .description(
          'Prints the decisions in force at a running simulator, where the interface document is silent.',
        )
        .addHelpText(
          'after',
          `
Examples:
  paysim sim contract
  paysim sim contract --query '["errors.body"].value'`,
        )
        .action((flags: ControlFlags) =>
          withControl(flags, ({ control, show }) => show(control.contract(), decisionsView)),
        ),
    { account: false },
  )
