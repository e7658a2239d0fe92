import type { Command } from 'commander'
import { byItsClock } from '../../../control/by-its-clock.ts'
import { type ControlFlags, controlCommand } from '../../../control/flags.ts'
import { withControl } from '../../../control/session.ts'
import { fullPaymentView } from '../views/payment.ts'

export const command = (): Command =>
  controlCommand('sim payments show', declare =>
    declare
      .description('Shows a payment with what the merchant API hides: customer, route, rule, instrument.')
      .argument('<id>', 'of the payment, as pi_…')
      .addHelpText(
        'after',
        `
Examples:
  paysim sim payments show pi_123
  paysim sim payments show pi_123 --query route.provider`,
      )
      .action((id: string, flags: ControlFlags) =>
        withControl(flags, session => byItsClock(session, session.account.payments.get(id), fullPaymentView)),
      ),
  )
