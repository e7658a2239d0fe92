import type { Contract } from '../../contract/decisions.ts'
import { isPossible } from '../../domain/decide/move-payment.ts'
import {
  allows,
  PAYMENT_MOVES,
  PAYMENT_TRIGGERS,
  PAYOUT_MOVES,
  type PayoutTrigger,
  RECEIPT_MOVES,
} from '../../domain/lifecycle.ts'
import type { Payment, Payout } from '../../domain/model.ts'

/** A call that would be taken now, and where it leads. */
export interface PossibleMove {
  readonly trigger: string
  readonly to: string
}

const TO: Readonly<Record<string, { readonly to: string }>> = { ...PAYMENT_MOVES, ...RECEIPT_MOVES }

/** Exactly the moves that the lifecycle allows now: what is offered and what is refused come from one table. */
export const movesOfPayment = (payment: Payment, contract: Contract): PossibleMove[] =>
  PAYMENT_TRIGGERS.filter(trigger => isPossible(payment, trigger)).map(trigger => ({
    trigger,
    to: TO[trigger]?.to ?? contract['payment.after_cancel'],
  }))

export const movesOfPayout = ({ status }: Payout): PossibleMove[] =>
  (Object.keys(PAYOUT_MOVES) as PayoutTrigger[])
    .filter(trigger => allows(PAYOUT_MOVES[trigger], status))
    .map(trigger => ({ trigger, to: PAYOUT_MOVES[trigger].to }))
