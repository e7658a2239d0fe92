import type { Static, TNull, TOptional, TSchema, TString, TUnion } from '@sinclair/typebox'
import * as Type from '@sinclair/typebox'
import type { Contract } from './decisions.ts'
import { amount, named, nullable, object, oneOf, timestamp, type Wire } from './schema.ts'
import {
  CHECKOUT_MODES,
  ENVIRONMENTS,
  type Environment,
  PAYMENT_STATUSES,
  PAYOUT_STATUSES,
} from './statuses.ts'

/**
 * The responses of the merchant interface. The contract in force decides about null, absent and error bodies.
 */

export const PAYER_FIELDS = [
  'account_name',
  'account_number',
  'bank',
  'customer_name',
  'customer_phone',
  'name_th',
] as const
export type PayerField = (typeof PAYER_FIELDS)[number]
export const ACTION_TYPES = [
  'redirect_to_url',
  'display_qr_code',
  'display_bank_transfer_instructions',
] as const
export type ActionType = (typeof ACTION_TYPES)[number]

export const NextAction = named(
  'NextAction',
  Type.Union([
    named(
      'RedirectToUrl',
      object({
        type: Type.Literal('redirect_to_url'),
        url: Type.String({ format: 'uri' }),
        expires_at: timestamp,
      }),
    ),
    named(
      'DisplayQrCode',
      object({
        type: Type.Literal('display_qr_code'),
        qr_data: Type.String(),
        qr_image_url: Type.Optional(Type.String({ format: 'uri' })),
        qr_image_data_url: Type.Optional(Type.String({ pattern: '^data:image/png;base64,' })),
      }),
    ),
    named(
      'DisplayBankTransferInstructions',
      object({
        type: Type.Literal('display_bank_transfer_instructions'),
        bank: object({ code: Type.String(), label: Type.String() }),
        account: object({ name: Type.String(), number: Type.String() }),
        reference: Type.String(),
        expires_at: timestamp,
      }),
    ),
  ]),
)

export const Receipt = named(
  'Receipt',
  Type.Union([
    named('UnrejectedReceipt', object({ status: oneOf(['required', 'processing', 'submitted']) })),
    named(
      'RejectedReceipt',
      object({
        status: Type.Literal('rejected'),
        failure_code: Type.Literal('receipt_rejected'),
        failure_message: Type.String(),
      }),
    ),
  ]),
)

const payoutFields = {
  id: Type.String({ pattern: '^po_' }),
  object: Type.Literal('payout_intent'),
  amount,
  currency: Type.String(),
  country: Type.String(),
  environment: oneOf(ENVIRONMENTS),
  merchant_reference: Type.String(),
  status: oneOf(PAYOUT_STATUSES),
  recipient: object({
    type: Type.Literal('bank_account'),
    bank_code: Type.String(),
    holder_name: Type.String(),
    account_last4: Type.String({ pattern: '^[0-9]{4}$' }),
  }),
  failure_code: nullable(Type.String()),
  failure_message: nullable(Type.String()),
  created_at: timestamp,
  updated_at: timestamp,
}

export const PayoutIntent = object(payoutFields)

/** The shapes under a contract; with `any`, shapes that accept every response that some contract allows. */
export function resources(contract: Contract | 'any') {
  const decided = contract === 'any' ? undefined : contract
  /**
   * A field that may not apply: null or left out. Its type allows both, because the contract in force decides.
   */
  const mayNotApply = <S extends TSchema>(schema: S) =>
    (decided === undefined
      ? Type.Optional(nullable(schema))
      : decided['fields.absent'] === 'null'
        ? nullable(schema)
        : Type.Optional(schema)) as TSchema as TOptional<TUnion<[S, TNull]>>

  const PaymentIntent = object({
    id: Type.String({ pattern: '^pi_' }),
    object: Type.Literal('payment_intent'),
    amount,
    currency: Type.String(),
    country: Type.String(),
    checkout_mode: oneOf(CHECKOUT_MODES),
    environment: oneOf(ENVIRONMENTS),
    merchant_reference: nullable(Type.String()),
    payment_method: nullable(Type.String()),
    status: oneOf(PAYMENT_STATUSES),
    processing_reason: mayNotApply(Type.Literal('asynchronous')),
    next_action: nullable(NextAction),
    receipt: mayNotApply(Receipt),
    failure_code: mayNotApply(Type.String()),
    failure_message: mayNotApply(Type.String()),
    created_at: timestamp,
    updated_at: timestamp,
  })

  const PayoutList = object({
    data: Type.Array(Type.Unsafe<Static<typeof PayoutIntent>>(Type.Ref('PayoutIntent'))),
    has_more: Type.Boolean(),
    next_cursor: {
      null: nullable(Type.String()),
      omit: Type.Optional(Type.String()),
      empty: Type.String(),
      any: Type.Optional(nullable(Type.String())),
    }[decided?.['list.last_cursor'] ?? 'any'] as TSchema as TOptional<TUnion<[TString, TNull]>>,
  })

  const payerFlag = object({ required: Type.Boolean() })
  const everyPayerKey = decided?.['methods.payer_keys'] === 'all'
  const banks = Type.Array(object({ code: Type.String(), label: Type.String() }))
  const PaymentMethodOptions = object({
    country: Type.String(),
    currency: Type.String(),
    environment: oneOf(ENVIRONMENTS),
    methods: Type.Array(
      object({
        category: Type.String(),
        code: Type.String(),
        label: Type.String(),
        next_action_types: Type.Array(oneOf(ACTION_TYPES)),
        options: object({
          banks: (decided?.['methods.banks_empty'] === 'empty' ? banks : Type.Optional(banks)) as TOptional<
            typeof banks
          >,
          payer: object(
            Object.fromEntries(
              PAYER_FIELDS.map(field => [field, everyPayerKey ? payerFlag : Type.Optional(payerFlag)]),
            ) as Record<PayerField, TOptional<typeof payerFlag>>,
          ),
        }),
      }),
    ),
  })

  const facts = {
    code: Type.String(),
    message: Type.String(),
    details: Type.Array(object({ field: Type.String(), message: Type.String() })),
    request_id: Type.String({ pattern: '^req_' }),
  }
  const errorBodies = {
    nested: object({ error: object(facts) }),
    flat: object(facts),
    problem: object({
      type: Type.String(),
      title: Type.String(),
      status: Type.Integer(),
      detail: Type.String(),
      ...facts,
    }),
  }
  const ErrorBody = decided ? errorBodies[decided['errors.body']] : Type.Union(Object.values(errorBodies))

  return { PaymentIntent, PayoutIntent, PayoutList, PaymentMethodOptions, Error: ErrorBody }
}

/** A payout in an event, with the reason for its cancellation if there is one. */
export const PayoutInEvent = object({
  ...payoutFields,
  cancel_reason: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
})

type Resources = ReturnType<typeof resources>
export type PaymentIntent = Wire<Resources['PaymentIntent']>
export type PayoutIntent = Wire<typeof PayoutIntent>
export type PayoutList = Wire<Resources['PayoutList']>
export type PaymentMethodOptions = Wire<Resources['PaymentMethodOptions']>
export type NextAction = Wire<typeof NextAction>
export type Receipt = Wire<typeof Receipt>
export type PayoutInEvent = Wire<typeof PayoutInEvent>

/** The body of a webhook: the record as it was when the event happened. */
export interface EventBody {
  readonly id: string
  readonly type: string
  readonly timestamp: string
  readonly environment: Environment
  readonly data: PaymentIntent | PayoutInEvent
}
