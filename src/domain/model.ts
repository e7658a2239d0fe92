import type {
  CheckoutMode,
  DeliveryState,
  DeliveryStatus,
  PaymentStatus,
  PayoutStatus,
  ReceiptStatus,
} from '../contract/statuses.ts'
import type {
  AttemptResult,
  Customer,
  EventOf,
  Failure,
  FrozenRoute,
  Instrument,
  MethodOptions,
} from './events.ts'
import type { WebhookFault } from './faults.ts'
import type { PaymentScript, PayoutScript, TerminalStatus } from './script.ts'

export type { AttemptResult, Customer, Failure, FrozenRoute, MethodOptions }

/** The records of an account. They are replaced, never changed: a reference to one is a snapshot of it. */

/** The position of a record in a list: newest first by time, then by order of creation. */
export interface SortKey {
  readonly id: string
  readonly createdAt: number
  readonly ordinal: number
}

/** What the payer can do now, and until when. */
export interface Action {
  readonly presentedAt: number
  readonly expiresAt: number
}

export interface Receipt {
  readonly status: ReceiptStatus
  /** How many were submitted; a verdict is for the last one. */
  readonly submissions: number
  readonly digest: string | null
  readonly assetId: string | null
  readonly rejection: string | null
}

export interface Payment {
  readonly sortKey: SortKey
  readonly amount: string
  readonly currency: string
  readonly country: string
  readonly checkoutMode: CheckoutMode
  readonly merchantReference: string | null
  readonly customer: Customer
  readonly options: MethodOptions
  readonly returnUrl: string | null
  /** Whether the method came with the create request, not from the payer. */
  readonly methodGiven: boolean
  readonly route: FrozenRoute | null
  readonly instrument: Instrument | null
  readonly script: PaymentScript
  readonly outcome: TerminalStatus | null
  readonly cancelled: boolean
  readonly failure: Failure | null
  readonly action: Action | null
  readonly receipt: Receipt | null
  readonly cancelRequestedAt: number | null
  readonly expiresAt: number
  readonly updatedAt: number
  /** The journal entry that last changed it. */
  readonly seq: number
}

export interface Payout {
  readonly sortKey: SortKey
  readonly amount: string
  readonly currency: string
  readonly country: string
  readonly merchantReference: string
  readonly recipient: EventOf<'PayoutCreated'>['recipient']
  readonly script: PayoutScript
  readonly status: PayoutStatus
  readonly failure: Failure | null
  readonly cancelReason: string | null
  readonly updatedAt: number
  readonly seq: number
}

export interface StoredImage {
  readonly digest: string
  readonly size: number
  readonly contentType: string
}

export interface Asset extends StoredImage {
  readonly id: string
  readonly kind: 'payment_receipt' | 'other'
  /** The intent that it is attached to. */
  readonly paymentId: string | null
  readonly createdAt: number
}

export interface ProviderCall {
  readonly at: number
  readonly call: 'start' | 'cancel' | 'submit_receipt'
  readonly paymentId: string
  readonly route: string
  readonly digest?: string
}

export interface WebhookEndpoint {
  readonly id: string
  readonly url: string
  /** The subscribed event names; null for all that are on by default. */
  readonly events: readonly string[] | null
  /** The newest first; an older one also signs until it expires. */
  readonly secrets: EventOf<'EndpointSecretsSet'>['secrets']
  readonly disabled: boolean
  readonly createdAt: number
}

export interface WebhookEvent {
  readonly id: string
  readonly type: string
  readonly at: number
  /** The record as it was; of an event by hand, what its body has. */
  readonly subject:
    | { readonly payment: Payment }
    | { readonly payout: Payout }
    | { readonly data: Readonly<Record<string, unknown>> }
  /** What every attempt sends, since the first one; null before it. */
  readonly body: string | null
  readonly seq: number
}

/** The record that an event is about; an event by hand is about none. */
export function recordOf({ subject }: WebhookEvent): Payment | Payout | undefined {
  if ('data' in subject) return undefined
  return 'payment' in subject ? subject.payment : subject.payout
}

export interface DeliveryAttempt {
  readonly startedAt: number
  readonly result: AttemptResult | null
}

export interface Delivery {
  readonly id: string
  readonly eventId: string
  readonly endpointId: string
  readonly url: string
  readonly status: DeliveryStatus
  readonly attempts: readonly DeliveryAttempt[]
  readonly nextAttemptAt: number | null
  /** The fault that affected it. */
  readonly fault: WebhookFault['type'] | null
  /** How long the fault `hold` holds its first attempt, by the wall clock. */
  readonly holdMs?: number
  readonly createdAt: number
  readonly seq: number
}

/** Whether a receiver took a webhook. The status is null if it did not answer. */
export const isSuccess = (status: number | null) => status !== null && status >= 200 && status < 300

/** Its status; failing if its last attempt failed, and another one follows. */
export function stateOf({ status, attempts }: Delivery): DeliveryState {
  if (status !== 'pending' && status !== 'attempting') return status
  const last = attempts.findLast(({ result }) => result !== null)?.result
  return last && !isSuccess(last.status) ? 'failing' : status
}

/** An intent reads as processing while the payer has nothing to do. */
export function statusOf(payment: Payment): PaymentStatus {
  return payment.outcome ?? (payment.action ? 'pending' : 'processing')
}

/**
 * Why an overdue action does not expire: the payment must stay pending until a cancellation is answered, a receipt
 * gets its verdict, or a rejected receipt is replaced. Null if nothing holds it.
 */
export function reasonToKeepAction(payment: Payment): 'cancellation' | 'receipt' | 'replacement' | null {
  const { outcome, cancelRequestedAt, receipt } = payment
  if (outcome !== null) return null
  if (cancelRequestedAt !== null) return 'cancellation'
  if (receipt?.status === 'processing') return 'receipt'
  return receipt?.status === 'rejected' ? 'replacement' : null
}

export function methodOf(payment: Payment): string | null {
  return payment.route?.method ?? null
}
