import type { ClockState, PayoutRecord } from '../../../../client/control-client.ts'
import type { View } from '../../../output/view.ts'
import { payoutView } from '../../../output/views/payout.ts'
import { inTimeOf } from './clock.ts'

/** By the clock of its account, where that is known. */
export const fullPayoutView = (clock: ClockState | undefined): View<PayoutRecord> => ({
  ...(payoutView as unknown as View<PayoutRecord>),
  human: (payout, screen) =>
    (payoutView as unknown as View<PayoutRecord>).human(payout, clock ? inTimeOf(clock, screen) : screen),
})
