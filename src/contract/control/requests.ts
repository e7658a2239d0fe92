import * as Type from '@sinclair/typebox'
import { EVENT_NAMES } from '../event-names.ts'
import { NOT_BLANK } from '../pattern-words.ts'
import { WEBHOOK_SECRET } from '../redact.ts'
import {
  digest,
  givenAmount,
  givenCountry,
  givenCurrency,
  object,
  oneOf,
  openObject,
  timestamp,
  type Wire,
} from '../schema.ts'
import { CHECKOUT_MODES, ENVIRONMENTS, PAYOUT_STATUSES } from '../statuses.ts'

/** The request bodies of the control surface. */

const text = (maxLength = 256) => Type.String({ minLength: 1, maxLength })
/** Text that is not blank. */
const words = Type.String({ minLength: 1, maxLength: 256, pattern: NOT_BLANK })
const duration = Type.String({ description: 'a duration, such as 5s, 1h30m or PT5M' })
const rate = Type.Union([Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000 }), Type.String()])

export const CLOCK_MODES = ['real', 'virtual'] as const
export type ClockMode = (typeof CLOCK_MODES)[number]
export const ClockBody = object({
  mode: oneOf(CLOCK_MODES),
  now: Type.Optional(timestamp),
  rate: Type.Optional(rate),
})
export type ClockBody = Wire<typeof ClockBody>

export const AdvanceBody = object({
  by: Type.Optional(duration),
  to: Type.Optional(timestamp),
  until: Type.Optional(oneOf(['idle'])),
  max: Type.Optional(duration),
})
export type AdvanceBody = Wire<typeof AdvanceBody>

const events = Type.Array(oneOf([...EVENT_NAMES, '*']), { minItems: 1 })
const webhookSecret = Type.String({
  pattern: WEBHOOK_SECRET.source,
  description: 'whsec_, followed by 24 to 64 bytes in base64',
})
export const EndpointBody = object({
  url: text(2048),
  events: Type.Optional(events),
  secret: Type.Optional(webhookSecret),
})
export type EndpointBody = Wire<typeof EndpointBody>

/** A webhook as it was received, to check against the secrets of an endpoint. */
export const ReceivedWebhook = object({
  headers: Type.String({
    description:
      'lines or JSON, as somebody copied them; after an empty line, or as `body` in the JSON, they may have the body too',
  }),
  body: Type.Optional(Type.String()),
})
export type ReceivedWebhook = Wire<typeof ReceivedWebhook>

/** An event to send by hand: a sample of a type, or a copy of another one, with these members of its data. */
export const EventBody = object({
  type: Type.Optional(oneOf(EVENT_NAMES)),
  event: Type.Optional(text()),
  data: Type.Optional(openObject({})),
})
export type EventBody = Wire<typeof EventBody>

export const SENT_METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD'] as const
/** A request to send to the merchant API: one of the log, with these changes, or a new one. */
export const RequestToSend = object({
  of: Type.Optional(
    Type.String({ minLength: 1, maxLength: 256, description: 'the id of a request of the log' }),
  ),
  method: Type.Optional(oneOf(SENT_METHODS)),
  path: Type.Optional(
    Type.String({ minLength: 1, maxLength: 8192, description: 'with its query, such as /payment_intents' }),
  ),
  headers: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      maxProperties: 50,
      description: 'all of them; those of the connection and the credentials are added',
    }),
  ),
  body: Type.Optional(Type.String({ description: 'empty for none' })),
})
export type RequestToSend = Wire<typeof RequestToSend>

const checkoutModes = Type.Array(oneOf(CHECKOUT_MODES), { uniqueItems: true })
export const MerchantBody = object({
  id: Type.Optional(
    Type.String({
      pattern: '^[a-z0-9][a-z0-9_-]{0,63}$',
      description: 'lower-case letters, digits, - and _',
    }),
  ),
  name: Type.Optional(words),
  checkout_modes: Type.Optional(checkoutModes),
  clock: Type.Optional(ClockBody),
  seed: Type.Optional(Type.Union([Type.Integer(), text()])),
  catalogue: Type.Optional(Type.Unknown()),
  rules: Type.Optional(Type.Array(Type.Unknown())),
  webhooks: Type.Optional(
    Type.Array(
      object({
        url: text(2048),
        environment: Type.Optional(oneOf(ENVIRONMENTS)),
        events: Type.Optional(events),
      }),
    ),
  ),
})
export type MerchantBody = Wire<typeof MerchantBody>

export const MerchantPatch = object({
  name: Type.Optional(words),
  checkout_modes: Type.Optional(checkoutModes),
})
export type MerchantPatch = Wire<typeof MerchantPatch>

export const HealthBody = object({ healthy: Type.Boolean() })
export type HealthBody = Wire<typeof HealthBody>

/** The reason for a failure, instead of the default one. */
export const FailureReason = object({
  failure_code: Type.Optional(text()),
  failure_message: Type.Optional(text(1024)),
})
export type FailureReason = Wire<typeof FailureReason>

/** What the payer fills in on the hosted page. As there, spaces around a text do not count, nor does a blank one. */
export const MethodChoice = object({
  method: Type.String({ minLength: 1, description: 'a code of payment_methods' }),
  account_name: Type.Optional(Type.String()),
  account_number: Type.Optional(Type.String()),
  bank: Type.Optional(Type.String({ description: 'a code of the method' })),
  customer_name: Type.Optional(Type.String()),
  customer_phone: Type.Optional(Type.String()),
  name_th: Type.Optional(Type.String()),
})
export type MethodChoice = Wire<typeof MethodChoice>

/** The same limit as in the merchant API. */
export const PayoutCancelBody = object({ reason: Type.Optional(text(512)) })
export type PayoutCancelBody = Wire<typeof PayoutCancelBody>

export const NewPayout = object({
  amount: givenAmount,
  currency: givenCurrency,
  country: givenCountry,
  merchant_reference: text(),
  recipient: object({
    type: Type.Optional(oneOf(['bank_account'])),
    bank_code: words,
    holder_name: words,
    account_number: Type.String({
      minLength: 4,
      maxLength: 34,
      pattern: '^[0-9A-Za-z -]*$',
      description: 'digits, letters, spaces and hyphens',
    }),
  }),
  status: Type.Optional(oneOf(PAYOUT_STATUSES)),
  created_at: Type.Optional(timestamp),
})
export type NewPayout = Wire<typeof NewPayout>

export const RotateBody = object({ overlap: Type.Optional(duration) })
export type RotateBody = Wire<typeof RotateBody>

/** What a reset can keep: settings, which are not records. */
export const RESET_KEEPS = ['endpoints', 'rules', 'catalogue', 'faults'] as const
export const ResetBody = object({ keep: Type.Optional(Type.Array(oneOf(RESET_KEEPS))) })
export type ResetBody = Wire<typeof ResetBody>

export const TokenBody = object({ token: Type.String({ minLength: 1 }) })
export type TokenBody = Wire<typeof TokenBody>

export const YamlText = object({ text: Type.String() })
export type YamlText = Wire<typeof YamlText>
export const YamlValues = object({
  values: Type.Array(Type.Unknown()),
  narrow: Type.Optional(Type.Boolean({ description: 'a line for each member' })),
})
export type YamlValues = Wire<typeof YamlValues>

/** An account as one JSON document: its journal, and the images that the journal names. */
export const Archive = Type.Object({
  paysim: Type.Literal(1),
  account: Type.String(),
  /** Page addresses and cursors are derived from it, so existing ones stay valid. */
  seed: Type.String({ minLength: 1 }),
  entries: Type.Array(Type.Unknown()),
  images: Type.Record(digest, Type.String(), {
    additionalProperties: false,
  }),
})
export type Archive = Wire<typeof Archive>
