import type { Command } from 'commander'
import type { PaymentTrigger } from '../../../../client/control-client.ts'
import { byItsClock } from '../../../control/by-its-clock.ts'
import { type FailureFlags, failureFlags, failureOf } from '../../../control/failure-flags.ts'
import { type ControlFlags, controlCommand } from '../../../control/flags.ts'
import { withControl } from '../../../control/session.ts'
import { fullPaymentView } from '../views/payment.ts'

interface Trigger {
  readonly does: string
  /** What may be said of why: for a failure all of it, for a rejected receipt the message. */
  readonly reason?: 'code and message' | 'message'
  readonly example?: string
}

/** Named as the control surface names them. A table, since they differ in nothing else. */
const TRIGGERS: Readonly<Record<PaymentTrigger, Trigger>> = {
  'present-action': { does: 'Lets the payer act now: a payment that was processing is pending.' },
  'withdraw-action': { does: "Ends the payer's action: a pending payment is processing." },
  succeed: { does: 'Lets the money come.' },
  fail: {
    does: 'Lets a payment fail.',
    reason: 'code and message',
    example: '--code insufficient_funds --message "The account is empty"',
  },
  expire: { does: 'Lets a payment expire: nobody paid in time.' },
  'accept-receipt': { does: 'Finds the receipt that is being checked good.' },
  'reject-receipt': {
    does: 'Finds the receipt that is being checked wanting.',
    reason: 'message',
    example: '--message "Amount is not legible"',
  },
  'confirm-cancel': {
    does: 'Lets the cancellation that is in flight go through.',
    reason: 'code and message',
  },
}

export const trigger = (name: PaymentTrigger) => ({
  command: (): Command =>
    controlCommand(`sim payments ${name}`, declare => {
      const { does, reason, example } = TRIGGERS[name]
      return failureFlags(declare.description(does).argument('<id>', 'of the payment, as pi_…'), reason)
        .addHelpText(
          'after',
          `\nExamples:\n  paysim sim payments ${name} pi_123${example === undefined ? '' : `\n  paysim sim payments ${name} pi_123 ${example}`}`,
        )
        .action((id: string, flags: ControlFlags & FailureFlags) =>
          withControl(flags, session =>
            byItsClock(
              session,
              session.account.payments.trigger(id, name, failureOf(flags)),
              fullPaymentView,
            ),
          ),
        )
    }),
})
