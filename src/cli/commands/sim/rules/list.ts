import type { Command } from 'commander'
import { type ControlFlags, controlCommand } from '../../../control/flags.ts'
import { withControl } from '../../../control/session.ts'
import { rulesView } from '../views/rules.ts'

export const command = (): Command =>
  controlCommand('sim rules list', declare =>
    declare
      .description('Shows the rules the provider goes by, and how often each was the one.')
      .addHelpText(
        'after',
        `
Examples:
  paysim sim rules
  paysim sim rules list -o yaml --query rules > rules.yaml`,
      )
      .action((flags: ControlFlags) =>
        withControl(flags, ({ account, show }) => show(account.rules.get(), rulesView)),
      ),
  )
