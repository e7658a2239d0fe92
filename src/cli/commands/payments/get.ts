import type { Command } from 'commander'
import { type MerchantFlags, merchantCommand } from '../../call/merchant-command.ts'
import { withSession } from '../../call/session.ts'
import { paymentView } from '../../output/views/payment.ts'

export const command = (): Command =>
  merchantCommand('payments get', declare =>
    declare
      .description('Show a payment: its status, its next action and its receipt.')
      .argument('<id>', 'id of the payment, such as pi_123')
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
