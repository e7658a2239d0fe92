import type { Command } from 'commander'
import { type MerchantFlags, merchantCommand, withSession } from '../../call/session.ts'
import { type KeyFlags, keyFlags, keyFor } from '../../fields/request-fields.ts'
import { cancellationView } from '../../output/views/payment.ts'
import { confirmLive } from '../../prompts/confirm.ts'
import { suggestWait } from './next-step.ts'

type CancelFlags = MerchantFlags & KeyFlags

export const command = (): Command =>
  merchantCommand(
    'payments cancel',
    declare =>
      keyFlags(
        declare
          .description(
            'Request the cancellation of a pending payment. The provider confirms it later, or the payment ends first.',
          )
          .argument('<id>', 'id of the payment, such as pi_123'),
      )
        .addHelpText(
          'after',
          `
Examples:
  paysim payments cancel pi_123
  paysim payments cancel pi_123 --idempotency-key 6f1f7a52-3c1e-4d0c-9f4e-0a1b2c3d4e5f
  paysim payments cancel pi_123 && paysim payments wait pi_123 --until cancelled`,
        )
        .action((id: string, flags: CancelFlags) =>
          withSession(flags, async session => {
            await confirmLive(flags, session, `cancel the payment ${id}`)
            const { client, signal, show } = session
            const call = client.payments.cancel(id, { idempotencyKey: keyFor(flags), signal })
            const answer = await call.answer()
            await show(answer, cancellationView)
            suggestWait(answer.body, { flags, session, until: 'cancelled' })
          }),
        ),
    { changes: true },
  )
