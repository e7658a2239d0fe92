import * as Type from '@sinclair/typebox'
import type { Contract } from '../decisions.ts'
import { CreatePaymentOptionalReference as NewPayment } from '../requests.ts'
import { ACTION_TYPES, PayoutIntent, resources } from '../resources.ts'
import { count, digest, named, nullable, object, oneOf, timestamp, type Wire } from '../schema.ts'
import {
  CHECKOUT_MODES,
  PAYMENT_STATUSES,
  PAYMENT_TRIGGERS,
  PAYOUT_STATUSES,
  PAYOUT_TRIGGERS,
  RECEIPT_STATUSES,
} from '../statuses.ts'

/** Payments on the control surface: the merchant's view, and the members that it hides. */

const closed = { additionalProperties: false }

/** The route of the payment as it was when it was chosen. */
const route = object({
  id: Type.String(),
  provider: Type.String(),
  local_code: Type.String(),
  method: Type.String(),
  action: oneOf(ACTION_TYPES),
  takes_receipt: Type.Boolean(),
  cancel_pending: Type.Boolean(),
})

/** What the payer is shown, as in the journal. */
const instrument = named(
  'Instrument',
  Type.Union([
    named('RedirectInstrument', object({ type: Type.Literal('redirect_to_url') })),
    named('QrCodeInstrument', object({ type: Type.Literal('display_qr_code'), qrData: Type.String() })),
    named(
      'BankTransferInstrument',
      object({
        type: Type.Literal('display_bank_transfer_instructions'),
        bank: object({ code: Type.String(), label: Type.String() }),
        account: object({ name: Type.String(), number: Type.String() }),
        reference: Type.String(),
      }),
    ),
  ]),
)

/** The merchant's members depend on the contract in force. */
export const paymentRecord = (contract: Contract | 'any') =>
  named(
    'PaymentRecord',
    object({
      ...resources(contract).PaymentIntent.properties,
      customer: Type.Object(NewPayment.properties.customer.properties, closed),
      payment_method_options: Type.Object(NewPayment.properties.payment_method_options.properties, closed),
      return_url: nullable(Type.String()),
      route: nullable(route),
      rule: nullable(Type.String({ description: 'the name of the rule that the payment follows' })),
      instrument: nullable(instrument),
      receipt_image: nullable(
        object({ digest, asset_id: nullable(Type.String()), submissions: Type.Integer({ minimum: 1 }) }),
      ),
      cancel_requested_at: nullable(timestamp),
      cancelled: Type.Boolean(),
      expires_at: timestamp,
      moves: Type.Array(object({ trigger: oneOf(PAYMENT_TRIGGERS), to: Type.String() }), {
        description: 'the triggers that are possible now, and the status that each leads to',
      }),
    }),
  )
export type PaymentRecord = Wire<ReturnType<typeof paymentRecord>>

/** A payment in a list for people. */
export const PaymentRow = named(
  'PaymentRow',
  object({
    id: Type.String(),
    amount: Type.String(),
    currency: Type.String(),
    country: Type.String(),
    checkout_mode: oneOf(CHECKOUT_MODES),
    merchant_reference: nullable(Type.String()),
    payment_method: nullable(Type.String()),
    status: oneOf(PAYMENT_STATUSES),
    cancelled: Type.Boolean(),
    cancelling: Type.Boolean(),
    receipt: nullable(oneOf(RECEIPT_STATUSES)),
    failure_code: nullable(Type.String()),
    customer_name: nullable(Type.String()),
    created_at: timestamp,
    updated_at: timestamp,
  }),
)
export type PaymentRow = Wire<typeof PaymentRow>

export const PROVIDER_CALLS = ['start', 'cancel', 'submit_receipt'] as const
/** A call of the gateway to the simulated provider. */
export const ProviderCallRecord = named(
  'ProviderCallRecord',
  object({
    at: timestamp,
    call: oneOf(PROVIDER_CALLS),
    payment: Type.String(),
    route: Type.String(),
    digest: Type.Optional(digest),
  }),
)
export type ProviderCallRecord = Wire<typeof ProviderCallRecord>

export const AssetRecord = named(
  'AssetRecord',
  object({
    id: Type.String({ pattern: '^ast_' }),
    object: Type.Literal('asset'),
    kind: oneOf(['payment_receipt', 'other']),
    digest,
    size: count,
    content_type: Type.String(),
    payment: nullable(Type.String({ description: 'the one payment that it is attached to' })),
    created_at: timestamp,
  }),
)
export type AssetRecord = Wire<typeof AssetRecord>

/** What the payer's browser got at the return_url. */
export const PageOfShop = object({
  status: Type.Integer(),
  location: nullable(Type.String({ description: 'where a redirect leads; it was not followed' })),
})
export type PageOfShop = Wire<typeof PageOfShop>

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
