import type { TSchema } from '@sinclair/typebox'
import * as Type from '@sinclair/typebox'
import { count, named, object, oneOf, type Wire } from '../schema.ts'

/** Provider rules, in the form that people write. */

const text = Type.String({ minLength: 1 })
const duration = Type.String({ format: 'duration' })
const amount = Type.String({
  pattern: '^(0|[1-9]\\d*)$',
  description: 'an integer in minor units, as a string',
})
/** One value or several. In text from the merchant, `*` is any text and `?` one character. */
const oneOrMore = (item: TSchema) =>
  Type.Unsafe<string | string[]>({ anyOf: [item, { type: 'array', items: item, minItems: 1 }] })
const words = oneOrMore(text)

const AmountRange = object({
  eq: Type.Optional(amount),
  gt: Type.Optional(amount),
  gte: Type.Optional(amount),
  lt: Type.Optional(amount),
  lte: Type.Optional(amount),
})

export const RuleCondition = object({
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
    object({ name: Type.Optional(words), phone: Type.Optional(words), email: Type.Optional(words) }),
  ),
  recipient: Type.Optional(object({ bank_code: Type.Optional(words), holder_name: Type.Optional(words) })),
  nth: Type.Optional(Type.Integer({ minimum: 1 })),
})
export type RuleCondition = Wire<typeof RuleCondition>

const Verdict = object({
  after: Type.Optional(duration),
  verdict: oneOf(['accept', 'reject', 'manual']),
  message: Type.Optional(text),
})
const manual = Type.Literal('manual')
const Outcome = object({
  after: Type.Optional(duration),
  status: oneOf(['succeeded', 'failed', 'expired']),
  code: Type.Optional(text),
  message: Type.Optional(text),
})
const Cancel = object({
  after: Type.Optional(duration),
  outcome: oneOf(['cancelled', 'succeeded', 'failed', 'expired', 'never']),
})

/** What the provider does with matching intents. The first matching rule is used. */
export const ProviderRule = object({
  name: Type.Optional(text),
  off: Type.Optional(Type.Boolean({ description: 'true switches it off; its counts stay' })),
  match: Type.Optional(RuleCondition),
  not: Type.Optional(RuleCondition),
  times: Type.Optional(Type.Integer({ minimum: 1 })),
  action: Type.Optional(object({ after: Type.Optional(duration), expires_after: Type.Optional(duration) })),
  receipt: Type.Optional(Type.Union([Type.Array(Verdict, { minItems: 1 }), manual])),
  cancel: Type.Optional(Type.Union([Cancel, manual])),
  approval: Type.Optional(Type.Union([object({ after: Type.Optional(duration) }), manual])),
  outcome: Type.Optional(Type.Union([Outcome, manual])),
  expiry: Type.Optional(duration),
})
export const RulesBody = object({ rules: Type.Array(ProviderRule) })
/** `instead_of` is the list that somebody saw: what another person did to it since must not get lost unnoticed. */
export const RulesReplacement = object({
  rules: Type.Array(ProviderRule),
  instead_of: Type.Optional(
    Type.Array(ProviderRule, {
      description: 'the rules that these replace: if others are in force, none are',
    }),
  ),
})

export type ProviderRule = Wire<typeof ProviderRule>

export const RulesState = named(
  'RulesState',
  object({
    standard: Type.Boolean({ description: 'whether these are the rules that ship' }),
    rules: Type.Array(named('ProviderRule', ProviderRule)),
    used: Type.Array(count, { description: 'how often each rule was used' }),
  }),
)
export type RulesState = Wire<typeof RulesState>

const Tried = object({
  matched: Type.Integer({ minimum: 0, description: 'how many have what the rule asks for' }),
  used: Type.Integer({ minimum: 0, description: 'how many of them no earlier rule would have taken' }),
})
/** What rules would have done with the last payments and payouts. */
export const TriedRules = named(
  'TriedRules',
  object({
    payments: Type.Integer({ minimum: 0, description: 'how many were looked at' }),
    payouts: Type.Integer({ minimum: 0, description: 'how many were looked at' }),
    rules: Type.Array(object({ payments: Tried, payouts: Tried })),
  }),
)
export type TriedRules = Wire<typeof TriedRules>
