import type { ClockState, PayoutRecord } from '../../../../client/control-client.ts'
import { drawRecord, fieldOf, sections } from '../../../output/record.ts'
import type { View } from '../../../output/view.ts'
import { payoutView } from '../../../output/views/payouts.ts'
import { inTimeOf } from './clock.ts'

/** The merchant's view of a payout, and what is behind it; by the clock of its account, where that is known. */
export const fullPayoutView = (clock: ClockState | undefined): View<PayoutRecord> => ({
  ...payoutView,
  async human({ rule, moves, ...payout }, wallScreen) {
    const screen = clock ? inTimeOf(clock, wallScreen) : wallScreen
    const fields = [
      fieldOf('rule', rule ?? 'none'),
      fieldOf('moves', moves?.map(({ trigger }) => trigger).join(', ') || undefined),
    ]
    return sections(
      await payoutView.human(payout, screen),
      `${screen.paint.bold('behind it')}\n${drawRecord(fields, screen)}`,
    )
  },
})
