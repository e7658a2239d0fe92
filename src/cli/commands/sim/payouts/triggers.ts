import type { Command } from 'commander'
import type { PayoutTrigger } from '../../../../client/control-client.ts'
import { byItsClock } from '../../../control/by-its-clock.ts'
import { type FailureFlags, failureFlags, failureOf } from '../../../control/failure-flags.ts'
import { type ControlFlags, controlCommand } from '../../../control/flags.ts'
import { withControl } from '../../../control/session.ts'
import { fullPayoutView } from '../views/payout.ts'

/** Named as the control surface names them. */
const TRIGGERS: Readonly<Record<PayoutTrigger, string>> = {
  approve: 'Approves a payout that waits for it: it is processing then.',
  succeed: 'Lets the money of a payout arrive.',
  fail: 'Lets a payout fail.',
  cancel: 'Cancels a payout that waits for approval.',
}

export const trigger = (name: PayoutTrigger) => ({
  command: (): Command =>
    controlCommand(`sim payouts ${name}`, declare =>
      failureFlags(
        declare.description(TRIGGERS[name]).argument('<id>', 'of the payout, as po_…'),
        name === 'fail' ? 'code and message' : undefined,
      )
        .addHelpText(
          'after',
          `\nExamples:\n  paysim sim payouts ${name} po_123${name === 'fail' ? ' --code account_closed' : ''}`,
        )
        .action((id: string, flags: ControlFlags & FailureFlags) =>
          withControl(flags, session =>
            byItsClock(session, session.account.payouts.trigger(id, name, failureOf(flags)), fullPayoutView),
          ),
        ),
    ),
})
