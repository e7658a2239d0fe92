import type { Static, TObject, TProperties, TSchema } from '@sinclair/typebox'
import * as Type from '@sinclair/typebox'
import { Catalogue } from '../contract/control/catalogue.ts'
import { FaultRule, WEBHOOK_FAULT_TYPES } from '../contract/control/faults.ts'
import type { JOURNAL_VERSION } from '../contract/control/journal.ts'
import { ProviderRule } from '../contract/control/rules.ts'
import { ERROR_STATUS, type ErrorCode } from '../contract/errors.ts'
import { ACTION_TYPES, PAYER_FIELDS } from '../contract/resources.ts'
import { givenAmount as amount, oneOf } from '../contract/schema.ts'
import { CHECKOUT_MODES, PAYMENT_TRIGGERS, PAYOUT_STATUSES, PAYOUT_TRIGGERS } from '../contract/statuses.ts'
import { EARLIEST, LATEST } from '../contract/timestamps.ts'

type Schemas = typeof EVENT_SCHEMAS
type EventType = keyof Schemas

/** An event, in the past tense, with the members that its schema describes. */
export type EventOf<T extends EventType> = {
  [E in T]: { readonly type: E } & Readonly<Static<TObject<Schemas[E]>>>
}[T]

/** The journal contains nothing else. */
export type DomainEvent = EventOf<EventType>

/** One line of the journal: all events of one decision. */
export interface Entry {
  readonly v: typeof JOURNAL_VERSION
  readonly seq: number
  readonly at: number
  readonly by: string
  readonly events: readonly DomainEvent[]
}

/**
 * The events of a journal as schemas. Their types are made from these, and the compiler checks with them what the engine
 * itself writes. The schemas check an import, and are compiled only for that.
 */

const closed = { additionalProperties: false }
export const object = <P extends TProperties>(properties: P) =>
  Type.Unsafe<Readonly<Static<TObject<P>>>>(Type.Object(properties, closed))
const optional = Type.Optional
const orNull = <S extends TSchema>(schema: S) =>
  Type.Unsafe<Static<S> | null>({ anyOf: [schema, { type: 'null' }] })
const list = <S extends TSchema>(schema: S) => Type.Unsafe<readonly Static<S>[]>(Type.Array(schema))

const text = Type.String()
const id = Type.String({ minLength: 1, maxLength: 256 })
export const instant = Type.Integer({ minimum: EARLIEST, maximum: LATEST })
const milliseconds = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const digest = Type.String({
  pattern: '^[0-9a-f]{64}$',
  description: 'the SHA-256 of the image in hexadecimal',
})
const currency = Type.String({ pattern: '^[A-Z]{3,6}$' })
const country = Type.String({ pattern: '^[A-Z]{2}$' })

const failure = object({ code: text, message: text })
export type Failure = Static<typeof failure>
const someFailure = object({ code: optional(text), message: optional(text) })
const customer = object({ name: optional(text), phone: optional(text), email: optional(text) })
export type Customer = Static<typeof customer>
type Option = Exclude<(typeof PAYER_FIELDS)[number], `customer_${string}`>
export type MethodOptions = { readonly [O in Option]?: string }
const options = Type.Unsafe<MethodOptions>(
  object(Object.fromEntries(PAYER_FIELDS.filter(isOption).map(field => [field, optional(text)]))),
)
function isOption(field: string): boolean {
  return !field.startsWith('customer_')
}
const image = { digest, size: milliseconds, contentType: text }
const bank = object({ code: text, label: text })
/** What the payer sees. A redirect has only its kind here; the server that has the page adds URL and expiry. */
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
export type Instrument = Static<typeof instrument>
/** The route as it was when it was chosen; later changes of the catalogue do not affect it. */
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
export type FrozenRoute = Static<typeof route>

const ENDINGS = ['succeeded', 'failed', 'expired'] as const
const manual = Type.Literal('manual')
const ending = { afterMs: milliseconds, code: orNull(text), message: orNull(text) }
/** What the provider will do with one intent. It is decided when the route is frozen, and stored with the intent. */
const paymentScript = object({
  /** The name of its rule; null if none matched. */
  rule: orNull(text),
  action: object({ afterMs: orNull(milliseconds), expiresAfterMs: orNull(milliseconds) }),
  /** One for each submission; the last repeats. */
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
export type PaymentScript = Static<typeof paymentScript>
const payoutScript = object({
  rule: orNull(text),
  approval: Type.Union([manual, object({ afterMs: milliseconds })]),
  outcome: Type.Union([manual, object({ ...ending, status: oneOf(['succeeded', 'failed']) })]),
})
export type PayoutScript = Static<typeof payoutScript>

/** The commands that a timer can have. */
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
export type TimedCommand = Static<typeof timedCommand>

const subject = Type.Union([
  object({ payment: id }),
  object({ payout: id }),
  /** Of an event that somebody sends by hand: what its body has. */
  object({ data: Type.Unsafe<Readonly<Record<string, unknown>>>(Type.Object({})) }),
])
const names = orNull(list(text))
const secret = Type.String({ minLength: 1, maxLength: 1024 })
const secrets = list(object({ secret, endsAt: orNull(instant) }))
const attemptResult = object({
  at: instant,
  status: orNull(Type.Integer({ minimum: 100, maximum: 999 })),
  error: orNull(text),
  retryAfterMs: orNull(milliseconds),
  body: text,
  /** The receiver's, without secrets. Older journals do not have them, and there are none without an answer. */
  headers: optional(Type.Unsafe<Readonly<Record<string, string>>>(Type.Record(Type.String(), text))),
  /** The signed headers as sent. */
  timestamp: Type.Integer({ minimum: 0 }),
  signature: text,
})
export type AttemptResult = Static<typeof attemptResult>
/** Account time as a linear function of wall time, or a constant if the clock stands still. */
const clock = object({
  mode: oneOf(['real', 'virtual']),
  rate: Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000 }),
  accountAt: instant,
  wallAt: instant,
})
export type ClockSetting = Static<typeof clock>
const recipient = object({ bankCode: text, holderName: text, accountLast4: text })
// The types of these are read-only.
const providerRule = Type.Unsafe<ProviderRule>(ProviderRule)
const faultRule = Type.Unsafe<FaultRule>(FaultRule)
const catalogue = Type.Unsafe<Catalogue>(Catalogue)
const counted = { held: list(Type.Integer({ minimum: 0 })), used: orNull(Type.Integer({ minimum: 0 })) }

/**
 * Which of those in force before each of the new ones continues, with its counts. Left out if none does; older journals
 * do not have it.
 */
const continued = optional(list(orNull(Type.Integer({ minimum: 0 }))))

/** The answer to a request that was refused, kept for its idempotency key. */
const keptRefusal = object({
  code: oneOf(Object.keys(ERROR_STATUS) as ErrorCode[]),
  message: text,
  details: optional(list(object({ field: text, message: text }))),
  status: optional(Type.Integer({ minimum: 400, maximum: 599 })),
  requestId: text,
})
export type KeptRefusal = Static<typeof keptRefusal>

/** A new member must be optional, so that old journals replay. */
export const EVENT_SCHEMAS = {
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
    /** What the payer added on the hosted page. */
    customer: optional(customer),
    instrument,
    /** Left out if no rule matched. */
    script: optional(paymentScript),
    /** The rule as it was when it matched, for people to read. The script is its compiled form. */
    rule: optional(providerRule),
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
    recipient,
    status: oneOf(PAYOUT_STATUSES),
    script: optional(payoutScript),
    rule: optional(providerRule),
  },
  PayoutApproved: { payout: id },
  PayoutSucceeded: { payout: id },
  PayoutFailed: { payout: id, failure },
  PayoutCancelled: { payout: id, reason: orNull(text) },
  AssetStored: { asset: id, kind: oneOf(['payment_receipt', 'other']), ...image },
  AnswerKept: {
    scope: text,
    fingerprint: text,
    answer: Type.Union([object({ payment: id }), object({ payout: id }), keptRefusal]),
  },
  TimerSet: { timer: id, dueAt: instant, command: timedCommand },
  TimerFired: { timer: id },
  EventEmitted: { event: id, name: text, subject },
  EndpointAdded: { endpoint: id, url: text, events: names, secret },
  EndpointSecretsSet: { endpoint: id, secrets },
  EndpointDisabled: { endpoint: id },
  EndpointRemoved: { endpoint: id },
  DeliveryQueued: {
    delivery: id,
    event: id,
    endpoint: id,
    /** Null if the attempt is never made. */
    dueAt: orNull(instant),
    fault: optional(oneOf(WEBHOOK_FAULT_TYPES)),
    /** How long the fault holds the first attempt, by the wall clock. */
    holdMs: optional(milliseconds),
  },
  DeliveryMoved: { delivery: id, dueAt: instant },
  AttemptStarted: {
    delivery: id,
    /** The body that all attempts send. Only the first attempt of an event has it; older journals do not have it. */
    body: optional(text),
  },
  AttemptEnded: {
    delivery: id,
    result: attemptResult,
    /** When the next attempt is due; null ends the delivery. */
    next: orNull(instant),
  },
  FaultsReplaced: { faults: list(faultRule), continued },
  FaultsCounted: counted,
  RulesReplaced: { rules: orNull(list(providerRule)), continued },
  RulesPutInFront: {
    rules: list(providerRule),
    /** The rules that were in force, if they were the standard ones. */
    standard: optional(list(providerRule)),
  },
  RulesConsulted: counted,
  CatalogueReplaced: { catalogue },
  ProviderHealthSet: { provider: text, healthy: Type.Boolean() },
  ClockSet: { clock },
} satisfies Readonly<Record<string, TProperties>>

type EventMember = { [T in DomainEvent['type']]: Exclude<keyof EventOf<T>, 'type'> }[DomainEvent['type']]

/** The members that are ids of records. A test compares them with the schemas of the events, so none is forgotten. */
export const RECORD_MEMBERS = [
  'payment',
  'payout',
  'asset',
  'delivery',
  'event',
  'endpoint',
] as const satisfies readonly EventMember[]

/** The records that an event is about: their histories have its entry. */
export function recordsOf(event: DomainEvent): string[] {
  const members: Partial<Record<EventMember, unknown>> = event
  const about = [...RECORD_MEMBERS.map(member => members[member]), ...Object.values(members.subject ?? {})]
  return about.filter(record => typeof record === 'string')
}

/** The payment or payout that the event itself changes. */
export function changedRecord(event: DomainEvent): string | undefined {
  if ('payment' in event) return event.payment
  return 'payout' in event ? event.payout : undefined
}
