import type { Contract } from '../decisions.ts'
import { type ErrorCode, invalid, type Rejection, rejection, renderError } from '../errors.ts'
import { type EventName, endingOf } from '../event-names.ts'
import type { OperationId } from '../operations.ts'
import { PAYER_FIELDS, type PaymentIntent } from '../resources.ts'
import type { Json } from './plain.ts'

/** The examples of the document belong together: a bank transfer that needs a receipt, and a payout. */

export const EXAMPLE_PAYMENT = 'pi_VC4UoUgtGlWq80BVjoQBBuLl'
export const EXAMPLE_PAYOUT = 'po_b8OHDoVvltLrQoPPvS1EFWxn'
const MADE = '2027-01-01T09:30:00.000Z'
const LATER = '2027-01-01T09:31:05.000Z'
const MONEY = { currency: 'THB', country: 'TH' }

export const EXAMPLE_KEY = '3d1f6c52-8a4e-4e7f-9f0b-5f7a1c0a2b11'

export const examplePathId = (id: OperationId) => (id === 'cancelPayout' ? EXAMPLE_PAYOUT : EXAMPLE_PAYMENT)

/** Of every parameter, and all of them together find something. */
export function exampleQuery(id: OperationId): Json {
  if (id === 'listPaymentMethods')
    return { amount: '150000', ...MONEY, checkout_mode: 'merchant', provider: 'banyan' }
  return {
    ...MONEY,
    created_after: '2020-01-01T00:00:00.000Z',
    created_before: '2100-01-01T00:00:00.000Z',
    merchant_reference: 'refund-7',
    status: ['requires_approval', 'processing'],
    limit: 25,
    cursor: EXAMPLE_CURSOR,
  }
}

const EXAMPLE_CURSOR = 'MTc5NTIyODkyMTk3OS45LnJEdThvalVk'

export function exampleBody(id: OperationId): Json {
  switch (id) {
    case 'createPayment':
      return {
        amount: '150000',
        ...MONEY,
        checkout_mode: 'merchant',
        merchant_reference: 'order-1001',
        customer: { name: 'Somchai Jaidee', phone: '+66812345678', email: 'somchai@example.com' },
        payment_method: 'th_bank_transfer',
        payment_method_options: { bank: 'gsb' },
      }
    case 'submitReceipt':
      return { asset_id: 'ast_4mK9sQ2vB7xT1nL8wR5cZ3yH' }
    case 'cancelPayout':
      return { reason: 'Sent twice' }
    case 'listPaymentMethods':
    case 'getPayment':
    case 'cancelPayment':
    case 'listPayouts':
      return {}
  }
}

export function exampleAnswer(id: OperationId, contract: Contract): Json {
  switch (id) {
    case 'listPaymentMethods':
      return methods(contract)
    case 'submitReceipt':
      return payment(contract, { receipt: { status: 'processing' }, updated_at: LATER })
    case 'listPayouts':
      return { data: [payout({})], has_more: true, next_cursor: EXAMPLE_CURSOR }
    case 'cancelPayout':
      return payout({ status: 'cancelled', updated_at: LATER })
    case 'createPayment':
    case 'getPayment':
    case 'cancelPayment':
      return payment(contract, {})
  }
}

const MAY_NOT_APPLY: readonly string[] = [
  'processing_reason',
  'receipt',
  'failure_code',
  'failure_message',
] satisfies (keyof PaymentIntent)[]

/** With every field, so that the compiler asks for a new one. */
const examplePayment: Required<PaymentIntent> = {
  id: EXAMPLE_PAYMENT,
  object: 'payment_intent',
  amount: '150000',
  ...MONEY,
  checkout_mode: 'merchant',
  environment: 'test',
  merchant_reference: 'order-1001',
  payment_method: 'th_bank_transfer',
  status: 'pending',
  next_action: {
    type: 'display_bank_transfer_instructions',
    bank: { code: 'gsb', label: 'Government Savings Bank' },
    account: { name: 'Default Collections', number: '0816205251' },
    reference: 'P59T-K7HR-C757',
    expires_at: '2027-01-04T09:30:00.000Z',
  },
  processing_reason: null,
  receipt: { status: 'required' },
  failure_code: null,
  failure_message: null,
  created_at: MADE,
  updated_at: MADE,
}

function payment(contract: Contract, changes: Json): Json {
  const isShown = ([name, value]: [string, unknown]) =>
    value !== null || contract['fields.absent'] === 'null' || !MAY_NOT_APPLY.includes(name)
  return Object.fromEntries(Object.entries({ ...examplePayment, ...changes }).filter(isShown))
}

const payout = (changes: Json): Json => ({
  id: EXAMPLE_PAYOUT,
  object: 'payout_intent',
  amount: '5000',
  ...MONEY,
  environment: 'test',
  merchant_reference: 'refund-7',
  status: 'requires_approval',
  recipient: {
    type: 'bank_account',
    bank_code: 'bbl',
    holder_name: 'Somchai Jaidee',
    account_last4: '7890',
  },
  failure_code: null,
  failure_message: null,
  created_at: MADE,
  updated_at: MADE,
  ...changes,
})

function methods(contract: Contract): Json {
  const payer = (required: readonly string[]) =>
    Object.fromEntries(
      PAYER_FIELDS.filter(field => contract['methods.payer_keys'] === 'all' || required.includes(field)).map(
        field => [field, { required: required.includes(field) }],
      ),
    )
  return {
    country: 'TH',
    currency: 'THB',
    environment: 'test',
    methods: [
      {
        category: 'bank_transfer',
        code: 'th_bank_transfer',
        label: 'Thai bank transfer',
        next_action_types: ['display_bank_transfer_instructions'],
        options: {
          banks: [
            { code: 'bbl', label: 'Bangkok Bank' },
            { code: 'gsb', label: 'Government Savings Bank' },
          ],
          payer: payer(['customer_name']),
        },
      },
      {
        category: 'bank_transfer',
        code: 'th_promptpay',
        label: 'PromptPay QR',
        next_action_types: ['display_qr_code'],
        options: {
          ...(contract['methods.banks_empty'] === 'empty' ? { banks: [] } : {}),
          payer: payer([]),
        },
      },
    ],
  }
}

export function exampleEvent(event: EventName, contract: Contract): Json {
  const status = endingOf(event, contract)
  const changes = status === undefined ? {} : { status, updated_at: LATER }
  const isCancelled = event.endsWith('.cancelled')
  return {
    id: 'evt_9WIAdzhCBvYLVBSN4VX6BFNc',
    type: event,
    timestamp: status === undefined ? MADE : LATER,
    environment: 'test',
    data: event.startsWith('payout')
      ? {
          ...payout({ ...changes, ...failed(event) }),
          ...(isCancelled ? { cancel_reason: 'Sent twice' } : {}),
        }
      : payment(contract, status === undefined ? {} : { ...changes, next_action: null, ...failed(event) }),
  }
}

function failed(event: EventName): Json {
  if (event === 'payment.cancelled')
    return { failure_code: 'payment_cancelled', failure_message: 'The payment was cancelled' }
  if (!event.endsWith('.failed')) return {}
  return event === 'payout.failed'
    ? { failure_code: 'account_closed', failure_message: 'The account is closed' }
    : { failure_code: 'payment_declined', failure_message: 'The payer declined' }
}

/** Only a request that matches no operation gets 405, so no operation lists it. */
const MESSAGES: Record<Exclude<ErrorCode, 'validation_failed' | 'method_not_allowed'>, string> = {
  unauthorized: 'The credentials are missing or not valid',
  checkout_mode_not_allowed: 'The Team policy does not allow checkout mode hosted',
  not_found: 'No such record',
  idempotency_conflict: 'This Idempotency-Key was used with a different request',
  idempotency_in_progress: 'The first request with this Idempotency-Key is still being processed',
  payload_too_large: 'The body is over 8388608 bytes',
  unsupported_media_type: 'Content-Type must be application/json',
  payment_configuration_unavailable: 'No route supports this method for this country and currency',
  routing_unavailable: 'No healthy route accepts this request',
  provider_capability_unsupported: 'The route of this payment intent does not support it',
  invalid_state: 'The record is not in a state that allows this',
  rate_limited: 'Too many requests',
  internal_error: 'An internal error occurred in paysim; its log has the details',
  service_unavailable: 'The request cannot be served now; nothing was changed',
}

/** One problem that the operation can really have, because readers copy examples. */
const PROBLEM_OF: Record<OperationId, { field: string; message: string }> = {
  listPaymentMethods: { field: 'amount', message: 'is required' },
  createPayment: { field: 'merchant_reference', message: 'must not be empty' },
  getPayment: { field: 'Host', message: 'is not a host name of this server' },
  cancelPayment: { field: 'body', message: 'must be well-formed JSON' },
  submitReceipt: {
    field: 'file',
    message: 'must be a JPEG or PNG image, but its first bytes are not those of one',
  },
  listPayouts: { field: 'cursor', message: 'is not a next_cursor of this list' },
  cancelPayout: { field: 'reason', message: 'must not be empty' },
}

/** The errors that are the same for all operations, by their codes. */
export function exampleErrors(contract: Contract): Record<string, Json> {
  return Object.fromEntries(
    Object.entries(MESSAGES).map(([code, message]) => [
      code,
      { value: rendered(rejection(code as ErrorCode, message), contract) },
    ]),
  )
}

export const exampleError = (code: ErrorCode, id: OperationId, contract: Contract): Json =>
  code === 'validation_failed'
    ? { value: rendered(invalid([PROBLEM_OF[id]]), contract) }
    : { $ref: `#/components/examples/${code}` }

const rendered = (reason: Rejection, contract: Contract): unknown =>
  JSON.parse(renderError(contract, reason, 'req_iRV1Uxn0B8EvprLrv0000001').body)
