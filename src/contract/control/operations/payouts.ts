import { PAYOUT_TRIGGERS } from '../../statuses.ts'
import { page } from '../overview.ts'
import { PayoutRecord } from '../payouts.ts'
import { FailureReason, NewPayout, PayoutCancelBody } from '../requests.ts'
import { type ControlOperations, LIST_QUERY, moves } from './operation.ts'

/** Payouts. */
export const PAYOUT_OPERATIONS = {
  'GET /accounts/:account/payouts': {
    id: 'listPayouts',
    summary: 'List payouts, newest first',
    query: LIST_QUERY,
    answers: { 200: page(PayoutRecord) },
  },
  'POST /accounts/:account/payouts': {
    id: 'createPayout',
    summary: 'Create a payout',
    body: { json: NewPayout },
    answers: { 201: PayoutRecord },
  },
  'GET /accounts/:account/payouts/:id': {
    id: 'readPayout',
    summary: 'Read a payout with what the merchant API does not show',
    answers: { 200: PayoutRecord },
  },
  ...moves('POST /accounts/:account/payouts/:id', without(PAYOUT_TRIGGERS, 'cancel'), 'payout', {
    body: { json: FailureReason, optional: true },
    answers: { 200: PayoutRecord },
    errors: ['invalid_state'],
  }),
  'POST /accounts/:account/payouts/:id/cancel': {
    id: 'cancelPayout',
    summary: 'Cancel a payout that awaits approval',
    body: { json: PayoutCancelBody, optional: true },
    answers: { 200: PayoutRecord },
    errors: ['invalid_state'],
  },
} as const satisfies ControlOperations

function without<T extends string, N extends T>(words: readonly T[], name: N): Exclude<T, N>[] {
  return words.filter((word): word is Exclude<T, N> => word !== name)
}
