import type { Static, TProperties, TSchema } from '@sinclair/typebox'
import * as Type from '@sinclair/typebox'
import { Catalogue } from '../contract/control/catalogue.ts'
import { FaultRule, WEBHOOK_FAULT_TYPES } from '../contract/control/faults.ts'
import { ProviderRule } from '../contract/control/rules.ts'
import { ERROR_STATUS, type ErrorCode } from '../contract/errors.ts'
import { CHECKOUT_MODES } from '../contract/requests.ts'
import { ACTION_TYPES, PAYER_FIELDS } from '../contract/resources.ts'
import { PAYOUT_STATUSES } from '../contract/statuses.ts'
import { EARLIEST, LATEST } from '../contract/timestamps.ts'
import type { TimedCommand } from './commands.ts'
import type { DomainEvent, EventOf } from './events.ts'
import type { Instrument } from './instrument/index.ts'
import { PAYMENT_TRIGGERS, PAYOUT_TRIGGERS } from './lifecycle.ts'
import type { MethodOptions } from './model.ts'

/**
 * The events of a journal as schemas, for checking an import. Types check what the engine itself writes. Each schema
 * has exactly the members of its event's type; the compiler reports a missing one.
 */

const closed = { additionalProperties: false }
export const object = <P extends TProperties>(properties: P) => Type.Object(properties, closed)
export const oneOf = <const V extends readonly string[]>(values: V) =>
  Type.Unsafe<V[number]>({ type: 'string', enum: [...values] })
const optional = Type.Optional
const orNull = <S extends TSchema>(schema: S) =>
  Type.Unsafe<Static<S> | null>({ anyOf: [schema, { type: 'null' }] })
const list = <S extends TSchema>(schema: S) => Type.Array(schema)

const text = Type.String()
const id = Type.String({ minLength: 1, maxLength: 256 })
export const instant = Type.Integer({ minimum: EARLIEST, maximum: LATEST })
const milliseconds = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const digest = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'the SHA-256 of the image in hexadecimal',
})
const amount = Type.String({ pattern: '^[1-9]\\d*$', description: 'a positive integer in minor units' })
const currency = Type.String({ pattern: '^[A-Z]{3,6}$' })
const country = Type.String({ pattern: '^[A-Z]{2}$' })

const failure = object({ code: text, message: text })
const someFailure = object({ code: optional(text), message: optional(text) })
const customer = object({ name: optional(text), phone: optional(text), email: optional(text) })
const options = Type.Unsafe<MethodOptions>(
  object(Object.fromEntries(PAYER_FIELDS.filter(isOption).map(field => [field, optional(text)]))),
)
function isOption(field: string): boolean {
  return !field.startsWith('customer_')
}
const image = { digest, size: milliseconds, contentType: text }
const bank = object({ code: text, label: text })
const instrument = Type.Union([
  object({ type: Type.Literal('redirect_to_url') }),
  object({ type: Type.Literal('display_qr_code'), qrData: text }),
  object({
    type: Type.Literal('display_bank_transfer_instructions'),
    bank,
    account: object({ name: text, number: text }),
    reference: text,
  }),
])
const route = object({
  id: text,
  provider: text,
  localCode: text,
  method: text,
  action: oneOf(ACTION_TYPES),
  actionAfterMs: milliseconds,
  takesReceipt: Type.Boolean(),
  cancelPending: Type.Boolean(),
})

const ENDINGS = ['succeeded', 'failed', 'expired'] as const
const manual = Type.Literal('manual')
const ending = { afterMs: milliseconds, code: orNull(text), message: orNull(text) }
const paymentScript = object({
  rule: orNull(text),
  action: object({ afterMs: orNull(milliseconds), expiresAfterMs: orNull(milliseconds) }),
  receipt: list(
    object({
      afterMs: milliseconds,
      verdict: oneOf(['accept', 'reject', 'manual']),
      message: orNull(text),
    }),
  ),
  cancel: object({ afterMs: milliseconds, outcome: oneOf(['cancelled', 'never', ...ENDINGS]) }),
  outcome: Type.Union([manual, object({ ...ending, status: oneOf(ENDINGS) })]),
  expiryMs: orNull(milliseconds),
})
const payoutScript = object({
  rule: orNull(text),
  approval: Type.Union([manual, object({ afterMs: milliseconds })]),
  outcome: Type.Union([manual, object({ ...ending, status: oneOf(['succeeded', 'failed']) })]),
})

const timedCommand = Type.Union([
  object({
    type: Type.Literal('MovePayment'),
    payment: id,
    trigger: oneOf(PAYMENT_TRIGGERS),
    failure: optional(someFailure),
  }),
  object({
    type: Type.Literal('MovePayout'),
    payout: id,
    trigger: oneOf(PAYOUT_TRIGGERS),
    reason: optional(text),
    failure: optional(someFailure),
  }),
  object({ type: Type.Literal('AttemptDelivery'), delivery: id }),
])

const subject = Type.Union([object({ payment: id }), object({ payout: id })])
const names = orNull(list(text))
const secret = Type.String({ minLength: 1, maxLength: 1024 })
const counted = { held: list(Type.Integer({ minimum: 0 })), used: orNull(Type.Integer({ minimum: 0 })) }

const EVENTS = {
  PaymentCreated: {
    payment: id,
    amount,
    currency,
    country,
    checkoutMode: oneOf(CHECKOUT_MODES),
    merchantReference: orNull(text),
    customer,
    returnUrl: orNull(text),
    expiresAt: instant,
  },
  RouteFrozen: {
    payment: id,
    route,
    options,
    customer: optional(customer),
    instrument,
    script: optional(paymentScript),
    rule: optional(ProviderRule),
    expiresAt: instant,
    byPayer: Type.Boolean(),
  },
  ActionPresented: { payment: id, expiresAt: instant },
  ActionWithdrawn: { payment: id },
  ReceiptSubmitted: { payment: id, digest, asset: orNull(id) },
  ReceiptAccepted: { payment: id },
  ReceiptRejected: { payment: id, message: text },
  CancelRequested: { payment: id },
  PaymentSucceeded: { payment: id },
  PaymentFailed: { payment: id, failure },
  PaymentExpired: { payment: id },
  PaymentCancelled: { payment: id, outcome: oneOf(['failed', 'expired']), failure: orNull(failure) },
  PayoutCreated: {
    payout: id,
    createdAt: optional(instant),
    amount,
    currency,
    country,
    merchantReference: text,
    recipient: object({ bankCode: text, holderName: text, accountLast4: text }),
    status: oneOf(PAYOUT_STATUSES),
    script: optional(payoutScript),
    rule: optional(ProviderRule),
  },
  PayoutApproved: { payout: id },
  PayoutSucceeded: { payout: id },
  PayoutFailed: { payout: id, failure },
  PayoutCancelled: { payout: id, reason: orNull(text) },
  AssetStored: { asset: id, kind: oneOf(['payment_receipt', 'other']), ...image },
  AnswerKept: {
    scope: text,
    fingerprint: text,
    answer: Type.Union([
      object({ payment: id }),
      object({
        code: oneOf(Object.keys(ERROR_STATUS) as ErrorCode[]),
        message: text,
        details: optional(list(object({ field: text, message: text }))),
        status: optional(Type.Integer({ minimum: 400, maximum: 599 })),
        requestId: text,
      }),
    ]),
  },
  TimerSet: { timer: id, dueAt: instant, command: timedCommand },
  TimerFired: { timer: id },
  EventEmitted: { event: id, name: text, subject },
  EndpointAdded: { endpoint: id, url: text, events: names, secret },
  EndpointSecretsSet: { endpoint: id, secrets: list(object({ secret, endsAt: orNull(instant) })) },
  EndpointDisabled: { endpoint: id },
  EndpointRemoved: { endpoint: id },
  DeliveryQueued: {
    delivery: id,
    event: id,
    endpoint: id,
    dueAt: orNull(instant),
    fault: optional(oneOf(WEBHOOK_FAULT_TYPES)),
  },
  DeliveryMoved: { delivery: id, dueAt: instant },
  AttemptStarted: { delivery: id, body: optional(text) },
  AttemptEnded: {
    delivery: id,
    result: object({
      at: instant,
      status: orNull(Type.Integer({ minimum: 100, maximum: 999 })),
      error: orNull(text),
      retryAfterMs: orNull(milliseconds),
      body: text,
      timestamp: Type.Integer({ minimum: 0 }),
      signature: text,
    }),
    next: orNull(instant),
  },
  FaultsReplaced: { faults: list(FaultRule) },
  FaultsCounted: counted,
  RulesReplaced: { rules: orNull(list(ProviderRule)) },
  RulesPutInFront: { rules: list(ProviderRule), standard: optional(list(ProviderRule)) },
  RulesConsulted: counted,
  CatalogueReplaced: { catalogue: Catalogue },
  ProviderHealthSet: { provider: text, healthy: Type.Boolean() },
  ClockSet: {
    clock: object({
      mode: oneOf(['real', 'virtual']),
      rate: Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000 }),
      accountAt: instant,
      wallAt: instant,
    }),
  },
} satisfies { readonly [T in DomainEvent['type']]: TProperties }

/** Checks at compile time that each schema allows no more than its type, and has all of its members. */
type Members<T extends DomainEvent['type']> = Omit<EventOf<T>, 'type'>
type Described<T extends DomainEvent['type']> = Static<ReturnType<typeof Type.Object<(typeof EVENTS)[T]>>>
type MatchingType = {
  [T in DomainEvent['type']]: Described<T> extends Members<T>
    ? keyof Members<T> extends keyof Described<T>
      ? true
      : ['forgets', Exclude<keyof Members<T>, keyof Described<T>>]
    : ['allows more than', T]
}
type MismatchedType =
  | Exclude<MatchingType[DomainEvent['type']], true>
  | (TimedCommand['type'] extends Static<typeof timedCommand>['type'] ? never : 'a command of a timer')
  | (Instrument['type'] extends Static<typeof instrument>['type'] ? never : 'an instrument')
const SOUND: [MismatchedType] extends [never] ? true : MismatchedType = true

export const EVENT_SCHEMAS: Readonly<Record<string, TProperties>> = SOUND && EVENTS
