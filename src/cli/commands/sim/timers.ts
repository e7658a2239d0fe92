import type { Command } from 'commander'
import { byItsClock } from '../../control/by-its-clock.ts'
import { type ControlFlags, controlCommand } from '../../control/flags.ts'
import { withControl } from '../../control/session.ts'
import { timersView } from './views/timers.ts'

export const command = (): Command =>
  controlCommand('sim timers', declare =>
    declare
      .description('Lists what is still to happen, the next first, by the clock of the account.')
      .addHelpText(
        'after',
        `
Examples:
  paysim sim timers
  paysim sim timers --account shop -o json | jq '.data[0].due_at'`,
      )
      .action((flags: ControlFlags) =>
        withControl(flags, session => byItsClock(session, session.account.timers(), timersView)),
      ),
  )
