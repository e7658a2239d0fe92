import type { Command } from 'commander'
import { type ControlFlags, controlCommand } from '../../../control/flags.ts'
import { type ListFlags, listFlags, showPages } from '../../../control/list-flags.ts'
import { withControl } from '../../../control/session.ts'
import { paymentsView } from '../views/payments.ts'

interface Flags extends ControlFlags, ListFlags {}

export const command = (): Command =>
  controlCommand(
    'sim payments list',
    declare =>
      listFlags(
        declare.description(
          'Lists the payments of an account, newest first, with what the merchant API hides.',
        ),
      )
        .addHelpText(
          'after',
          `
Examples:
  paysim sim payments
  paysim sim payments list --all -o csv > payments.csv`,
        )
        .action((flags: Flags) =>
          withControl(flags, session =>
            showPages(session, flags, {
              list: page => session.account.payments.list(page),
              view: paymentsView,
            }),
          ),
        ),
    { list: true },
  )
