import type { PaymentRecord } from '../../contract/control/payments.ts'
import type { PayoutRecord } from '../../contract/control/payouts.ts'
import type { Contract } from '../../contract/decisions.ts'
import { PAYMENT_TRIGGERS, PAYOUT_MOVES, PAYOUT_TRIGGERS, targetStatus } from '../../domain/lifecycle.ts'
import type { Payment, Payout } from '../../domain/model.ts'
import type { Account } from '../../engine/account.ts'

/** Exactly the triggers that would be accepted now: each is decided, but not applied. */
export const movesOfPayment = (
  { sortKey: { id: payment } }: Payment,
  account: Account,
  contract: Contract,
): PaymentRecord['moves'] =>
  PAYMENT_TRIGGERS.filter(trigger => account.wouldAccept({ type: 'MovePayment', payment, trigger })).map(
    trigger => ({ trigger, to: targetStatus(trigger, contract) }),
  )

export const movesOfPayout = ({ sortKey: { id: payout } }: Payout, account: Account): PayoutRecord['moves'] =>
  PAYOUT_TRIGGERS.filter(trigger => account.wouldAccept({ type: 'MovePayout', payout, trigger })).map(
    trigger => ({ trigger, to: PAYOUT_MOVES[trigger].to }),
  )
