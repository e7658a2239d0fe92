import type { Static, TSchema } from '@sinclair/typebox'
import * as Type from '@sinclair/typebox'
import type { Contract } from './decisions.ts'
import { CHECKOUT_MODES } from './requests.ts'
import { PAYMENT_STATUSES, PAYOUT_STATUSES } from './statuses.ts'

/** What the merchant interface answers with. The contract in force decides on null, absent and error bodies. */

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

const oneOf = (values: readonly string[]) => Type.Unsafe<string>({ type: 'string', enum: [...values] })
const nullable = (schema: TSchema) => Type.Union([schema, Type.Null()])
const amount = Type.String({ pattern: '^[1-9]\\d*$' })
const timestamp = Type.String({ format: 'date-time' })
const closed = { additionalProperties: false }

export const NextAction = Type.Union([
  Type.Object(
    { type: Type.Literal('redirect_to_url'), url: Type.String({ format: 'uri' }), expires_at: timestamp },
    closed,
  ),
  Type.Object(
    {
      type: Type.Literal('display_qr_code'),
      qr_data: Type.String(),
      qr_image_url: Type.Optional(Type.String({ format: 'uri' })),
      qr_image_data_url: Type.Optional(Type.String({ pattern: '^data:image/png;base64,' })),
    },
    closed,
  ),
  Type.Object(
    {
      type: Type.Literal('display_bank_transfer_instructions'),
      bank: Type.Object({ code: Type.String(), label: Type.String() }, closed),
      account: Type.Object({ name: Type.String(), number: Type.String() }, closed),
      reference: Type.String(),
      expires_at: timestamp,
    },
    closed,
  ),
])

export const Receipt = Type.Union([
  Type.Object({ status: oneOf(['required', 'processing', 'submitted']) }, closed),
  Type.Object(
    {
      status: Type.Literal('rejected'),
      failure_code: Type.Literal('receipt_rejected'),
      failure_message: Type.String(),
    },
    closed,
  ),
])

const payoutFields = {
  id: Type.String({ pattern: '^po_' }),
  object: Type.Literal('payout_intent'),
  amount,
  currency: Type.String(),
  country: Type.String(),
  environment: oneOf(['live', 'test']),
  merchant_reference: Type.String(),
  status: oneOf(PAYOUT_STATUSES),
  recipient: Type.Object(
    {
      type: Type.Literal('bank_account'),
      bank_code: Type.String(),
      holder_name: Type.String(),
      account_last4: Type.String({ pattern: '^[0-9]{4}$' }),
    },
    closed,
  ),
  failure_code: nullable(Type.String()),
  failure_message: nullable(Type.String()),
  created_at: timestamp,
  updated_at: timestamp,
}

/**
 * The shapes under a contract; under `any`, as whoever has to take every answer that some contract allows reads them.
 */
export function resources(contract: Contract | 'any') {
  const decided = contract === 'any' ? undefined : contract
  /** A field that may not apply: null, or left out. */
  const mayNotApply = (schema: TSchema): TSchema =>
    decided === undefined
      ? Type.Optional(nullable(schema))
      : decided['fields.absent'] === 'null'
        ? nullable(schema)
        : Type.Optional(schema)

  const PaymentIntent = Type.Object(
    {
      id: Type.String({ pattern: '^pi_' }),
      object: Type.Literal('payment_intent'),
      amount,
      currency: Type.String(),
      country: Type.String(),
      checkout_mode: oneOf(CHECKOUT_MODES),
      environment: oneOf(['live', 'test']),
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
    },
    closed,
  )

  const PayoutIntent = Type.Object(payoutFields, closed)

  const PayoutList = Type.Object(
    {
      data: Type.Array(Type.Ref('PayoutIntent')),
      has_more: Type.Boolean(),
      next_cursor: {
        null: nullable(Type.String()),
        omit: Type.Optional(Type.String()),
        empty: Type.String(),
        any: Type.Optional(nullable(Type.String())),
      }[decided?.['list.last_cursor'] ?? 'any'],
    },
    closed,
  )

  const payerFlag = Type.Object({ required: Type.Boolean() }, closed)
  const everyPayerKey = decided?.['methods.payer_keys'] === 'all'
  const banks = Type.Array(Type.Object({ code: Type.String(), label: Type.String() }, closed))
  const PaymentMethodOptions = Type.Object(
    {
      country: Type.String(),
      currency: Type.String(),
      environment: oneOf(['live', 'test']),
      methods: Type.Array(
        Type.Object(
          {
            category: Type.String(),
            code: Type.String(),
            label: Type.String(),
            next_action_types: Type.Array(oneOf(ACTION_TYPES)),
            options: Type.Object(
              {
                banks: decided?.['methods.banks_empty'] === 'empty' ? banks : Type.Optional(banks),
                payer: Type.Object(
                  Object.fromEntries(
                    PAYER_FIELDS.map(field => [field, everyPayerKey ? payerFlag : Type.Optional(payerFlag)]),
                  ),
                  closed,
                ),
              },
              closed,
            ),
          },
          closed,
        ),
      ),
    },
    closed,
  )

  const facts = {
    code: Type.String(),
    message: Type.String(),
    details: Type.Array(Type.Object({ field: Type.String(), message: Type.String() }, closed)),
    request_id: Type.String({ pattern: '^req_' }),
  }
  const faults = {
    nested: Type.Object({ error: Type.Object(facts, closed) }, closed),
    flat: Type.Object(facts, closed),
    problem: Type.Object(
      { type: Type.String(), title: Type.String(), status: Type.Integer(), detail: Type.String(), ...facts },
      closed,
    ),
  }
  const Fault = decided ? faults[decided['errors.body']] : Type.Union(Object.values(faults))

  return { PaymentIntent, PayoutIntent, PayoutList, PaymentMethodOptions, Fault }
}

/** A payout as an event tells of it: with the reason of its cancellation, where one was given. */
export const PayoutInEvent = Type.Object(
  { ...payoutFields, cancel_reason: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })) },
  closed,
)

/** The shapes as code on this side of the wire has them: every absence is a null. */
export type NextActionBody = Static<typeof NextAction>
export type ReceiptBody = Static<typeof Receipt>
