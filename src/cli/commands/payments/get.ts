import type { Command } from 'commander'
import { type MerchantFlags, merchantCommand, withSession } from '../../call/session.ts'
import { whyHere } from '../../control/own-account.ts'
import { sections } from '../../output/record.ts'
import { paymentView } from '../../output/views/payment.ts'
import { whyText } from '../../output/views/why.ts'

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
        withSession(flags, async ({ client, signal, show, target }) =>
          show(await client.payments.get(id, { signal }).answer(), {
            ...paymentView,
            async human(payment, screen) {
              const why = await whyHere(target, id)
              return sections(await paymentView.human(payment, screen), why ? whyText(why, screen) : '')
            },
          }),
        ),
      ),
  )
