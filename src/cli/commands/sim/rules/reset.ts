import type { Command } from 'commander'
import { type ControlFlags, controlCommand } from '../../../control/flags.ts'
import { withControl } from '../../../control/session.ts'
import { rulesView } from '../views/rules.ts'

export const command = (): Command =>
  controlCommand('sim rules reset', declare =>
    declare
      .description('Puts the rules back that ship with paysim.')
      .addHelpText(
        'after',
        `
Examples:
  paysim sim rules reset --account shop`,
      )
      .action((flags: ControlFlags) =>
        withControl(flags, ({ account, show }) => show(account.rules.reset(), rulesView)),
      ),
  )
