import type { Command } from 'commander'
import { type ControlFlags, controlCommand } from '../../control/flags.ts'
import { withControl } from '../../control/session.ts'
import { historyView } from './views/history.ts'

export const command = (): Command =>
  controlCommand('sim history', declare =>
    declare
      .description("Tells a record's life: each decision about it, oldest first.")
      .argument('<id>', 'of a payment, payout, asset, delivery or endpoint')
      .addHelpText(
        'after',
        `
Examples:
  paysim sim history pi_123
  paysim sim history po_123 -o json | jq .data`,
      )
      .action((id: string, flags: ControlFlags) =>
        withControl(flags, ({ account, show }) => show(account.history(id), historyView(id))),
      ),
  )
