import type { Static, TSchema } from '@sinclair/typebox'
import * as Type from '@sinclair/typebox'

/** What a provider rule may say, as people write it. */

const closed = { additionalProperties: false }
const oneOf = <const V extends readonly string[]>(values: V) =>
  Type.Unsafe<V[number]>({ type: 'string', enum: [...values] })
const text = Type.String({ minLength: 1 })
const duration = Type.String({ format: 'duration' })
const amount = Type.String({
  pattern: '^(0|[1-9]\\d*)$',
  description: 'an integer in minor units, as a string',
})
/** One value or several; where it is text of the merchant's, `*` stands for anything and `?` for one character. */
const oneOrMore = (item: TSchema) =>
  Type.Unsafe<string | string[]>({ anyOf: [item, { type: 'array', items: item, minItems: 1 }] })
const words = oneOrMore(text)

const AmountRange = Type.Object(
  {
    eq: Type.Optional(amount),
    gt: Type.Optional(amount),
    gte: Type.Optional(amount),
    lt: Type.Optional(amount),
    lte: Type.Optional(amount),
  },
  closed,
)

const Condition = Type.Object(
  {
    kind: Type.Optional(oneOf(['payment', 'payout'])),
    method: Type.Optional(words),
    provider: Type.Optional(words),
    checkout_mode: Type.Optional(oneOf(['hosted', 'merchant'])),
    environment: Type.Optional(oneOf(['test', 'live'])),
    currency: Type.Optional(words),
    country: Type.Optional(words),
    amount: Type.Optional(Type.Union([amount, AmountRange])),
    merchant_reference: Type.Optional(words),
    customer: Type.Optional(
      Type.Object(
        { name: Type.Optional(words), phone: Type.Optional(words), email: Type.Optional(words) },
        closed,
      ),
    ),
    recipient: Type.Optional(
      Type.Object({ bank_code: Type.Optional(words), holder_name: Type.Optional(words) }, closed),
    ),
    nth: Type.Optional(Type.Integer({ minimum: 1 })),
  },
  closed,
)
export type Condition = Static<typeof Condition>

const Verdict = Type.Object(
  {
    after: Type.Optional(duration),
    verdict: oneOf(['accept', 'reject', 'manual']),
    message: Type.Optional(text),
  },
  closed,
)
const manual = Type.Literal('manual')
const Outcome = Type.Object(
  {
    after: Type.Optional(duration),
    status: oneOf(['succeeded', 'failed', 'expired']),
    code: Type.Optional(text),
    message: Type.Optional(text),
  },
  closed,
)
const Cancel = Type.Object(
  {
    after: Type.Optional(duration),
    outcome: oneOf(['cancelled', 'succeeded', 'failed', 'expired', 'never']),
  },
  closed,
)

export const RuleSchema = Type.Object(
  {
    name: Type.Optional(text),
    match: Type.Optional(Condition),
    not: Type.Optional(Condition),
    times: Type.Optional(Type.Integer({ minimum: 1 })),
    action: Type.Optional(
      Type.Object({ after: Type.Optional(duration), expires_after: Type.Optional(duration) }, closed),
    ),
    receipt: Type.Optional(Type.Union([Type.Array(Verdict, { minItems: 1 }), manual])),
    cancel: Type.Optional(Type.Union([Cancel, manual])),
    approval: Type.Optional(Type.Union([Type.Object({ after: Type.Optional(duration) }, closed), manual])),
    outcome: Type.Optional(Type.Union([Outcome, manual])),
    expiry: Type.Optional(duration),
  },
  closed,
)
export const RulesSchema = Type.Object({ rules: Type.Array(RuleSchema) }, closed)

export type RuleData = Static<typeof RuleSchema>
