import { PAYMENT_STATUSES, PAYOUT_STATUSES } from '../../contract/statuses.ts'
import type { DomainEvent } from '../../domain/events.ts'
import { match } from '../expect/match.ts'
import { historyOf } from '../run/history.ts'
import { anything, id, is, maybe, name } from '../schema/words.ts'
import { all, RECEIPT_STATUSES } from './known-words.ts'
import { listVerb } from './list-verb.ts'
import { controlGet, lookAt } from './look.ts'
import { brief, valueAndExpectation } from './title.ts'
import { verb } from './verb.ts'

const EVENTS = all<DomainEvent['type']>({
  PaymentCreated: true,
  RouteFrozen: true,
  ActionPresented: true,
  ActionWithdrawn: true,
  ReceiptSubmitted: true,
  ReceiptAccepted: true,
  ReceiptRejected: true,
  CancelRequested: true,
  PaymentSucceeded: true,
  PaymentFailed: true,
  PaymentExpired: true,
  PaymentCancelled: true,
  PayoutCreated: true,
  PayoutApproved: true,
  PayoutSucceeded: true,
  PayoutFailed: true,
  PayoutCancelled: true,
  AssetStored: true,
  AnswerKept: true,
  TimerSet: true,
  TimerFired: true,
  EventEmitted: true,
  EndpointAdded: true,
  EndpointSecretsSet: true,
  EndpointDisabled: true,
  EndpointRemoved: true,
  DeliveryQueued: true,
  DeliveryMoved: true,
  AttemptStarted: true,
  AttemptEnded: true,
  FaultsReplaced: true,
  FaultsCounted: true,
  RulesReplaced: true,
  RulesPutInFront: true,
  RulesConsulted: true,
  CatalogueReplaced: true,
  ProviderHealthSet: true,
  ClockSet: true,
})

/** Any record with what the merchant API hides, its history, and any stored value. */
export const RECORDS = [
  verb('expect record', {
    value: id('payment or payout'),
    beside: { is, as: maybe(name) },
    needs: 'simulator',
    moves: false,
    words: { status: [...PAYMENT_STATUSES, ...PAYOUT_STATUSES], 'receipt.status': RECEIPT_STATUSES },
    title: valueAndExpectation,
    play: ({ value, step, stage }) =>
      lookAt(
        (id, stage) => controlGet(id.startsWith('po_') ? 'payouts' : 'payments', id, stage),
        value,
        step.is,
        stage,
      ),
  }),
  listVerb('expect history', {
    of: id('record'),
    items: 'history',
    key: 'type',
    words: { '': EVENTS, type: EVENTS },
    list: (stage, record) => historyOf(record, stage),
  }),
  verb('expect value', {
    value: anything('a reference'),
    beside: { is, as: maybe(name) },
    needs: 'any',
    moves: false,
    title: ({ step }) => [brief(step.is)],
    play: async ({ value, step }) => ({ value, mismatches: match(step.is, value, '', ['is']) }),
  }),
]
