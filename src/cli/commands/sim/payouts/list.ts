import type { Command } from 'commander'
import { type ControlFlags, controlCommand } from '../../../control/flags.ts'
import { type ListFlags, listFlags, showPages } from '../../../control/list-flags.ts'
import { withControl } from '../../../control/session.ts'
import { payoutsView } from '../views/payments.ts'

interface Flags extends ControlFlags, ListFlags {}

export const command = (): Command =>
  controlCommand(
    'sim payouts list',
    declare =>
      listFlags(
        declare.description(
          'Lists the payouts of an account, newest first, with what the merchant API hides.',
        ),
      )
        .addHelpText(
          'after',
          `
Examples:
  paysim sim payouts
  paysim sim payouts list --all -o csv > payouts.csv`,
        )
        .action((flags: Flags) =>
          withControl(flags, session =>
            showPages(session, flags, {
              list: page => session.account.payouts.list(page),
              view: payoutsView,
            }),
          ),
        ),
    { list: true },
  )
