import type { Command } from 'commander'
import { type MerchantFlags, merchantCommand } from '../../call/merchant-command.ts'
import { withSession } from '../../call/session.ts'
import { paymentView } from '../../output/views/payment.ts'

export const command = (): Command =>
  merchantCommand('payments get', declare =>
    declare
      .description('Shows a payment: its state, what the payer is to do next, its receipt.')
      .argument('<id>', 'of the payment, as pi_…')
      .addHelpText(
        'after',
        `
Examples:
  paysim payments get pi_123
  paysim payments get pi_123 --query status
  paysim payments get pi_123 -o json | jq .next_action`,
      )
      .action((id: string, flags: MerchantFlags) =>
        withSession(flags, async ({ client, signal, show }) =>
          show(await client.payments.get(id, { signal }).answer(), paymentView),
        ),
      ),
  )
