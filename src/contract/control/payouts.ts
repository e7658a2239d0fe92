import * as Type from '@sinclair/typebox'
import { PayoutIntent } from '../resources.ts'
import { named, nullable, object, oneOf, timestamp, type Wire } from '../schema.ts'
import { PAYOUT_STATUSES, PAYOUT_TRIGGERS } from '../statuses.ts'

/** Payouts on the control surface: the merchant's view, and the members that it hides. */

export const PayoutRecord = named(
  'PayoutRecord',
  object({
    ...PayoutIntent.properties,
    cancel_reason: nullable(Type.String()),
    rule: nullable(Type.String({ description: 'the name of the rule that the payout follows' })),
    moves: Type.Array(object({ trigger: oneOf(PAYOUT_TRIGGERS), to: oneOf(PAYOUT_STATUSES) }), {
      description: 'the triggers that are possible now, and the status that each leads to',
    }),
  }),
)
export type PayoutRecord = Wire<typeof PayoutRecord>

/** A payout in a list for people. */
export const PayoutRow = named(
  'PayoutRow',
  object({
    id: Type.String(),
    amount: Type.String(),
    currency: Type.String(),
    country: Type.String(),
    merchant_reference: Type.String(),
    status: oneOf(PAYOUT_STATUSES),
    bank_code: Type.String(),
    holder_name: Type.String(),
    account_last4: Type.String(),
    failure_code: nullable(Type.String()),
    created_at: timestamp,
    updated_at: timestamp,
  }),
)
export type PayoutRow = Wire<typeof PayoutRow>
