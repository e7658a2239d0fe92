import type { Contract } from '../contract/decisions.ts'
import type {
  EventBody,
  NextAction,
  PaymentIntent,
  PayoutInEvent,
  PayoutIntent,
  Receipt,
} from '../contract/resources.ts'
import type { Environment } from '../contract/statuses.ts'
import { formatTimestamp } from '../contract/timestamps.ts'
import { type Action, methodOf, type Payment, type Payout, statusOf, type WebhookEvent } from './model.ts'

/** Records as a merchant sees them. These views have no data of the provider, so they cannot reveal it. */

/** Addresses that depend on the server's own address. */
export interface Links {
  hostedPage(payment: Payment, action: Action): string
  bankPage(payment: Payment, action: Action): string
  qrImage(payment: Payment): string
  qrImageData(qrData: string): string
}

export interface ViewContext {
  readonly environment: Environment
  readonly contract: Contract
  readonly links: Links
}

export function paymentView(payment: Payment, lens: ViewContext): PaymentIntent {
  const { contract, environment } = lens
  const status = statusOf(payment)
  // `JSON.stringify` leaves out undefined members, so a reader never sees one, and the types allow only null.
  const absent = (contract['fields.absent'] === 'omit' ? undefined : null) as null
  return {
    id: payment.sortKey.id,
    object: 'payment_intent',
    amount: payment.amount,
    currency: payment.currency,
    country: payment.country,
    checkout_mode: payment.checkoutMode,
    environment,
    merchant_reference: payment.merchantReference,
    payment_method: shownMethod(payment, contract),
    status,
    processing_reason: status === 'processing' ? 'asynchronous' : absent,
    next_action: nextAction(payment, lens.links),
    receipt: receiptView(payment) ?? absent,
    failure_code: payment.failure?.code ?? absent,
    failure_message: payment.failure?.message ?? absent,
    created_at: formatTimestamp(payment.sortKey.createdAt),
    updated_at: formatTimestamp(payment.updatedAt),
  } satisfies Required<PaymentIntent>
}

function shownMethod(payment: Payment, contract: Contract): string | null {
  const kept = payment.methodGiven || contract['payment.method_after_choice'] === 'code'
  return kept ? methodOf(payment) : null
}

function nextAction(payment: Payment, links: Links): NextAction | null {
  const { action, instrument } = payment
  if (!action) return null
  const expires_at = formatTimestamp(action.expiresAt)
  if (payment.checkoutMode === 'hosted' || !instrument)
    return { type: 'redirect_to_url', url: links.hostedPage(payment, action), expires_at }
  switch (instrument.type) {
    case 'redirect_to_url':
      return { type: 'redirect_to_url', url: links.bankPage(payment, action), expires_at }
    case 'display_qr_code':
      return {
        type: 'display_qr_code',
        qr_data: instrument.qrData,
        qr_image_url: links.qrImage(payment),
        qr_image_data_url: links.qrImageData(instrument.qrData),
      }
    case 'display_bank_transfer_instructions': {
      const { type, bank, account, reference } = instrument
      return { type, bank, account, reference, expires_at }
    }
  }
}

function receiptView({ receipt }: Payment): Receipt | null {
  if (!receipt) return null
  const { status, rejection } = receipt
  if (status !== 'rejected') return { status }
  return {
    status,
    failure_code: 'receipt_rejected',
    failure_message: rejection ?? 'The receipt was rejected',
  }
}

export function payoutView(payout: Payout, { environment }: Pick<ViewContext, 'environment'>): PayoutIntent {
  const { recipient } = payout
  return {
    id: payout.sortKey.id,
    object: 'payout_intent',
    amount: payout.amount,
    currency: payout.currency,
    country: payout.country,
    environment,
    merchant_reference: payout.merchantReference,
    status: payout.status,
    recipient: {
      type: 'bank_account',
      bank_code: recipient.bankCode,
      holder_name: recipient.holderName,
      account_last4: recipient.accountLast4,
    },
    failure_code: payout.failure?.code ?? null,
    failure_message: payout.failure?.message ?? null,
    created_at: formatTimestamp(payout.sortKey.createdAt),
    updated_at: formatTimestamp(payout.updatedAt),
  }
}

/** The body of a webhook: the record as it was when the event happened. */
export function eventView(event: WebhookEvent, lens: ViewContext): EventBody {
  return {
    id: event.id,
    type: event.type,
    timestamp: formatTimestamp(event.at),
    environment: lens.environment,
    data: subjectView(event.subject, lens),
  }
}

function subjectView(subject: WebhookEvent['subject'], lens: ViewContext): PaymentIntent | PayoutInEvent {
  if ('payment' in subject) return paymentView(subject.payment, lens)
  // Somebody may have given it any members.
  if ('data' in subject) return subject.data as unknown as PaymentIntent
  const { payout } = subject
  const reason = payout.cancelReason === null ? {} : { cancel_reason: payout.cancelReason }
  return { ...payoutView(payout, lens), ...reason }
}
