import { closest } from '../../contract/closest.ts'
import { OPTIONAL_EVENTS, STANDARD_EVENTS } from '../../contract/event-names.ts'
import { CHECKOUT_MODES } from '../../contract/requests.ts'
import { ACTION_TYPES } from '../../contract/resources.ts'
import { PAYMENT_STATUSES, PAYOUT_STATUSES } from '../../contract/statuses.ts'
import type { DomainEvent } from '../../domain/events.ts'
import type { DeliveryStatus, ProviderCall, ReceiptStatus } from '../../domain/model.ts'
import type { Verb } from '../schema/steps.ts'

/** Complete by its type: a word that is added to the model must be added here. */
const all = <K extends string>(words: Record<K, true>) => Object.keys(words) as K[]

const RECEIPT_STATUSES = all<ReceiptStatus>({
  required: true,
  processing: true,
  submitted: true,
  rejected: true,
})
const DELIVERY_STATUSES = all<DeliveryStatus>({
  pending: true,
  attempting: true,
  delivered: true,
  failed: true,
  dropped: true,
})
const CALLS = all<ProviderCall['call']>({ start: true, cancel: true, submit_receipt: true })
const EVENTS = [...STANDARD_EVENTS, ...OPTIONAL_EVENTS]
const HISTORY = all<DomainEvent['type']>({
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

type Words = Readonly<Record<string, readonly string[]>>

const PAYMENT: Words = {
  status: PAYMENT_STATUSES,
  'receipt.status': RECEIPT_STATUSES,
  'next_action.type': ACTION_TYPES,
  checkout_mode: CHECKOUT_MODES,
}
const PAYOUT: Words = { status: PAYOUT_STATUSES }
const RECEIPT: Words = { '': RECEIPT_STATUSES, status: RECEIPT_STATUSES }
const SUBJECT = {
  'data.status': [...PAYMENT_STATUSES, ...PAYOUT_STATUSES],
  'data.receipt.status': RECEIPT_STATUSES,
}

/** Words that a record can have, by the step that looks at it. */
const WORDS: Partial<Record<Verb, Words>> = {
  'create payment': PAYMENT,
  'get payment': PAYMENT,
  'cancel payment': PAYMENT,
  'submit receipt': PAYMENT,
  trigger: PAYMENT,
  'expect payment': PAYMENT,
  'wait for payment': PAYMENT,
  'cancel payout': PAYOUT,
  'create payout': PAYOUT,
  'approve payout': PAYOUT,
  'succeed payout': PAYOUT,
  'fail payout': PAYOUT,
  'expect payout': PAYOUT,
  'expect record': { status: [...PAYMENT_STATUSES, ...PAYOUT_STATUSES], 'receipt.status': RECEIPT_STATUSES },
  'expect receipt': RECEIPT,
  'list payouts': { 'data.*.status': PAYOUT_STATUSES },
  'expect webhooks': { '': EVENTS, type: EVENTS, signature: ['valid', 'invalid'], ...SUBJECT },
  'expect provider calls': { '': CALLS, call: CALLS },
  'expect history': { '': HISTORY, type: HISTORY },
  'expect deliveries': { '': EVENTS, event_type: EVENTS, status: DELIVERY_STATUSES },
}

/** Why a word cannot come true at a place of a record, if it cannot. */
export function unknownWord(verb: Verb, subject: string, word: string): string | undefined {
  const known = WORDS[verb]?.[subject.replace(/\b\d+\b/g, '*')]
  if (!known || known.includes(word) || word.includes('${')) return undefined
  const meant = closest(word, known)
  const where = subject.split('.').at(-1) || 'type'
  return `there is no ${where} ${word}${meant ? `; did you mean ${meant}?` : `: it is one of ${known.join(', ')}`}`
}
