import type { Command } from 'commander'
import { type ControlFlags, controlCommand } from '../../../control/flags.ts'
import { withControl } from '../../../control/session.ts'
import { clockView } from '../views/clock.ts'

export const command = (): Command =>
  controlCommand('sim clock show', declare =>
    declare
      .description("Shows an account's time, and when the next thing is due.")
      .addHelpText(
        'after',
        `
Examples:
  paysim sim clock
  paysim sim clock show --account shop.test -o json`,
      )
      .action((flags: ControlFlags) =>
        withControl(flags, ({ account, show }) => show(account.clock.get(), clockView)),
      ),
  )
