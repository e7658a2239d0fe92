import * as Type from '@sinclair/typebox'
import { count, named, nullable, object, oneOf, timestamp, type Wire } from '../schema.ts'
import { RuleCondition } from './rules.ts'

/** Faults on the wire, in the form that people write. */

const duration = Type.String({ format: 'duration' })

/** What a fault can do to a call. */
export const HTTP_FAULT_TYPES = [
  'latency',
  'status',
  'reset',
  'empty',
  'truncate',
  'garbage',
  'drip',
  'rate',
  'hold',
] as const

/** What a fault can do to the delivery of a webhook. */
export const WEBHOOK_FAULT_TYPES = ['delay', 'duplicate', 'drop', 'reorder', 'bad_signature', 'hold'] as const

export type HttpFaultType = (typeof HTTP_FAULT_TYPES)[number]
export type WebhookFaultType = (typeof WEBHOOK_FAULT_TYPES)[number]
export type FaultType = HttpFaultType | WebhookFaultType

const DELAYS: { readonly [T in FaultType]?: 'required' | 'optional' } = {
  latency: 'required',
  drip: 'optional',
  delay: 'optional',
  reorder: 'optional',
}

/** Whether a fault of this type has the key `delay`. */
export const delayKey = (type: FaultType): 'required' | 'optional' | 'none' => DELAYS[type] ?? 'none'

const Delay = Type.Unsafe<string | { min: string; max: string } | { p50: string; p99: string }>({
  anyOf: [duration, object({ min: duration, max: duration }), object({ p50: duration, p99: duration })],
})

/** The time of each allowed call is kept until it no longer counts. */
const MOST_IN_A_RATE = 10_000

/** The event of a webhook, or the conditions of a rule on what a call is about; a fault has its own `nth`. */
const { nth: _, ...CALL_CONDITIONS } = RuleCondition.properties
const FaultCondition = object({
  ...CALL_CONDITIONS,
  /** The same as `method`, as a create request names it. */
  payment_method: RuleCondition.properties.method,
  type: Type.Optional(
    Type.Unsafe<string | string[]>({
      anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, minItems: 1 }],
      description: 'webhooks: the event',
    }),
  ),
})
export type FaultCondition = Wire<typeof FaultCondition>

export const FaultRule = object({
  name: Type.Optional(Type.String({ minLength: 1 })),
  off: Type.Optional(Type.Boolean({ description: 'true switches it off; its counts stay' })),
  on: Type.String({
    minLength: 1,
    description: 'an operation such as `POST /payment_intents`, `*` for all, or `webhook`',
  }),
  match: Type.Optional(FaultCondition),
  nth: Type.Optional(Type.Integer({ minimum: 1 })),
  times: Type.Optional(Type.Integer({ minimum: 1 })),
  probability: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
  for: Type.Optional(
    Type.String({ format: 'duration', description: 'how long it happens; hold: how long each is held' }),
  ),
  from: Type.Optional(timestamp),
  until: Type.Optional(timestamp),
  type: oneOf([...new Set([...HTTP_FAULT_TYPES, ...WEBHOOK_FAULT_TYPES])]),
  when: Type.Optional(oneOf(['before', 'after_commit'])),
  delay: Type.Optional(Delay),
  status: Type.Optional(Type.Integer({ minimum: 200, maximum: 599 })),
  body: Type.Optional(Type.Unknown()),
  retry_after: Type.Optional(duration),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: MOST_IN_A_RATE, description: 'rate: how many calls are allowed' }),
  ),
  per: Type.Optional(
    Type.String({ format: 'duration', description: 'rate: in how long, by the wall clock' }),
  ),
})
export const FaultsBody = object({ faults: Type.Array(FaultRule) })
/** As for rules: `instead_of` is the list that somebody saw. */
export const FaultsReplacement = object({
  faults: Type.Array(FaultRule),
  instead_of: Type.Optional(
    Type.Array(FaultRule, { description: 'the faults that these replace: if others are set, none are' }),
  ),
})

export type FaultRule = Wire<typeof FaultRule>

const window = object({ from: nullable(timestamp), until: nullable(timestamp) })
export const FaultsState = named(
  'FaultsState',
  object({
    faults: Type.Array(named('FaultRule', FaultRule)),
    windows: Type.Array(nullable(window), {
      description: 'when each fault can happen, by the time of the account; null for at any time',
    }),
    used: Type.Array(count, { description: 'how often each fault happened' }),
  }),
)
export type FaultsState = Wire<typeof FaultsState>

/** What a fault of type `hold` holds now. */
export const HoldRecord = named(
  'HoldRecord',
  object({
    id: Type.String({ pattern: '^hold_' }),
    kind: oneOf(['call', 'answer', 'webhook']),
    fault: nullable(Type.String({ description: 'the name of the fault' })),
    since: timestamp,
    until: Type.String({ format: 'date-time', description: 'when it goes by itself, by the wall clock' }),
    request: nullable(
      object({
        id: Type.String(),
        method: Type.String(),
        path: Type.String(),
      }),
    ),
    delivery: nullable(
      object({
        id: Type.String(),
        event: Type.String(),
        event_type: nullable(Type.String()),
        url: Type.String(),
      }),
    ),
    status: nullable(Type.Integer({ description: 'of an answer: its status' })),
    body: nullable(
      Type.String({ description: 'of an answer or a webhook: its body, unless that is very long' }),
    ),
  }),
)
export type HoldRecord = Wire<typeof HoldRecord>

/** How somebody lets it go; without a member, as it is. */
export const HoldRelease = object({
  status: Type.Optional(Type.Integer({ minimum: 200, maximum: 599 })),
  headers: Type.Optional(
    Type.Record(Type.String(), Type.String({ maxLength: 4096 }), {
      maxProperties: 64,
      description: 'set in addition to the others, or in their place',
    }),
  ),
  body: Type.Optional(Type.Unknown()),
  drop: Type.Optional(Type.Boolean()),
})
export type HoldRelease = Wire<typeof HoldRelease>
