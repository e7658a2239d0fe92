import type { Contract } from '../../contract/decisions.ts'
import { PAYMENT_TRIGGERS, PAYOUT_MOVES, PAYOUT_TRIGGERS, whereTo } from '../../domain/lifecycle.ts'
import type { Payment, Payout } from '../../domain/model.ts'
import type { Account } from '../../engine/account.ts'

/** A call that would be taken now, and where it leads. */
export interface PossibleMove {
  readonly trigger: string
  readonly to: string
}

/** Exactly the moves that would be carried out now: each is decided, and nothing happens. */
export const movesOfPayment = (
  { sortKey: { id: payment } }: Payment,
  account: Account,
  contract: Contract,
): PossibleMove[] =>
  PAYMENT_TRIGGERS.filter(trigger => account.wouldTake({ type: 'MovePayment', payment, trigger })).map(
    trigger => ({ trigger, to: whereTo(trigger, contract) }),
  )

export const movesOfPayout = ({ sortKey: { id: payout } }: Payout, account: Account): PossibleMove[] =>
  PAYOUT_TRIGGERS.filter(trigger => account.wouldTake({ type: 'MovePayout', payout, trigger })).map(
    trigger => ({ trigger, to: PAYOUT_MOVES[trigger].to }),
  )
