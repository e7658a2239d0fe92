import type { Command } from 'commander'
import { byItsClock } from '../../../control/by-its-clock.ts'
import { type ControlFlags, controlCommand } from '../../../control/flags.ts'
import { withControl } from '../../../control/session.ts'
import { fullPayoutView } from '../views/payout.ts'

export const command = (): Command =>
  controlCommand('sim payouts show', declare =>
    declare
      .description('Shows a payout, with its cancel reason and its rule.')
      .argument('<id>', 'of the payout, as po_…')
      .addHelpText(
        'after',
        `
Examples:
  paysim sim payouts show po_123`,
      )
      .action((id: string, flags: ControlFlags) =>
        withControl(flags, session => byItsClock(session, session.account.payouts.get(id), fullPayoutView)),
      ),
  )
