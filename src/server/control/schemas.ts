import type { Static } from '@sinclair/typebox'
import * as Type from '@sinclair/typebox'
import { OPTIONAL_EVENTS, STANDARD_EVENTS } from '../../contract/event-names.ts'
import { CHECKOUT_MODES } from '../../contract/requests.ts'
import { PAYOUT_STATUSES } from '../../contract/statuses.ts'
import { NOT_BLANK } from '../../contract/validation.ts'

/** What the control surface may be told. */

const closed = { additionalProperties: false }
const oneOf = <const V extends readonly string[]>(values: V) =>
  Type.Unsafe<V[number]>({ type: 'string', enum: [...values] })
const text = (maxLength = 256) => Type.String({ minLength: 1, maxLength })
/** Something that somebody can read. */
const words = Type.String({ minLength: 1, maxLength: 256, pattern: NOT_BLANK })
const duration = Type.String({ description: 'a duration, as 5s, 1h30m or PT5M' })
const time = Type.String({ format: 'date-time' })
const rate = Type.Union([Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000 }), Type.String()])

const ClockMode = oneOf(['real', 'virtual'])
export const ClockBody = Type.Object(
  { mode: ClockMode, now: Type.Optional(time), rate: Type.Optional(rate) },
  closed,
)
export type ClockBody = Static<typeof ClockBody>

export const AdvanceBody = Type.Object(
  {
    by: Type.Optional(duration),
    to: Type.Optional(time),
    until: Type.Optional(oneOf(['idle'])),
    max: Type.Optional(duration),
  },
  closed,
)
export type AdvanceBody = Static<typeof AdvanceBody>

const events = Type.Array(oneOf([...STANDARD_EVENTS, ...OPTIONAL_EVENTS, '*']), { minItems: 1 })
const webhookSecret = Type.String({
  pattern: '^whsec_[A-Za-z0-9+/]{32,88}={0,2}$',
  description: 'whsec_ and 24 to 64 bytes in base64',
})
export const EndpointBody = Type.Object(
  { url: text(2048), events: Type.Optional(events), secret: Type.Optional(webhookSecret) },
  closed,
)
export type EndpointBody = Static<typeof EndpointBody>

const checkoutModes = Type.Array(oneOf(CHECKOUT_MODES), { uniqueItems: true })
export const MerchantBody = Type.Object(
  {
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
        Type.Object(
          {
            url: text(2048),
            environment: Type.Optional(oneOf(['test', 'live'])),
            events: Type.Optional(events),
          },
          closed,
        ),
      ),
    ),
  },
  closed,
)
export type MerchantBody = Static<typeof MerchantBody>

export const MerchantPatch = Type.Object(
  { name: Type.Optional(words), checkout_modes: Type.Optional(checkoutModes) },
  closed,
)
export type MerchantPatch = Static<typeof MerchantPatch>

export const HealthBody = Type.Object({ healthy: Type.Boolean() }, closed)
export type HealthBody = Static<typeof HealthBody>

export const TriggerBody = Type.Object(
  { failure_code: Type.Optional(text()), failure_message: Type.Optional(text(1024)) },
  closed,
)
export type TriggerBody = Static<typeof TriggerBody>

/** As long as the merchant API lets it be. */
export const PayoutCancelBody = Type.Object({ reason: Type.Optional(text(512)) }, closed)
export type PayoutCancelBody = Static<typeof PayoutCancelBody>

export const PayoutBody = Type.Object(
  {
    amount: Type.String({ pattern: '^[1-9]\\d*$', description: 'a positive integer in minor units' }),
    currency: Type.String({ pattern: '^[A-Z]{3,6}$', description: 'an uppercase currency code' }),
    country: Type.String({ pattern: '^[A-Z]{2}$', description: 'an ISO 3166-1 alpha-2 code' }),
    merchant_reference: text(),
    recipient: Type.Object(
      {
        type: Type.Optional(oneOf(['bank_account'])),
        bank_code: words,
        holder_name: words,
        account_number: Type.String({
          minLength: 4,
          maxLength: 34,
          pattern: '^[0-9A-Za-z -]*$',
          description: 'digits, letters, spaces and hyphens',
        }),
      },
      closed,
    ),
    status: Type.Optional(oneOf(PAYOUT_STATUSES)),
    created_at: Type.Optional(time),
  },
  closed,
)
export type PayoutBody = Static<typeof PayoutBody>

export const RotateBody = Type.Object({ overlap: Type.Optional(duration) }, closed)
export type RotateBody = Static<typeof RotateBody>
