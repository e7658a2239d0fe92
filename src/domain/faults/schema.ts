import type { Static } from '@sinclair/typebox'
import * as Type from '@sinclair/typebox'

/** What can go wrong on the wire, as people write it. */

const closed = { additionalProperties: false }
const oneOf = <const V extends readonly string[]>(values: V) =>
  Type.Unsafe<V[number]>({ type: 'string', enum: [...values] })
const duration = Type.String({ format: 'duration' })
const time = Type.String({ format: 'date-time' })

export const HTTP_FAULT_TYPES = [
  'latency',
  'status',
  'reset',
  'empty',
  'truncate',
  'garbage',
  'drip',
] as const
export const WEBHOOK_FAULT_TYPES = ['delay', 'duplicate', 'drop', 'reorder', 'bad_signature'] as const

const Delay = Type.Unsafe<string | { min: string; max: string } | { p50: string; p99: string }>({
  anyOf: [
    duration,
    Type.Object({ min: duration, max: duration }, closed),
    Type.Object({ p50: duration, p99: duration }, closed),
  ],
})

export const FaultSchema = Type.Object(
  {
    name: Type.Optional(Type.String({ minLength: 1 })),
    on: Type.String({
      minLength: 1,
      description: 'an operation as `POST /payment_intents`, `*` for each, or `webhook`',
    }),
    match: Type.Optional(
      Type.Object(
        {
          type: Type.Unsafe<string | string[]>({
            anyOf: [{ type: 'string' }, { type: 'array', items: { type: 'string' }, minItems: 1 }],
          }),
        },
        closed,
      ),
    ),
    nth: Type.Optional(Type.Integer({ minimum: 1 })),
    times: Type.Optional(Type.Integer({ minimum: 1 })),
    probability: Type.Optional(Type.Number({ minimum: 0, maximum: 1 })),
    for: Type.Optional(duration),
    from: Type.Optional(time),
    until: Type.Optional(time),
    type: oneOf([...HTTP_FAULT_TYPES, ...WEBHOOK_FAULT_TYPES]),
    when: Type.Optional(oneOf(['before', 'after_commit'])),
    delay: Type.Optional(Delay),
    status: Type.Optional(Type.Integer({ minimum: 200, maximum: 599 })),
    body: Type.Optional(Type.Unknown()),
    retry_after: Type.Optional(duration),
  },
  closed,
)
export const FaultsSchema = Type.Object({ faults: Type.Array(FaultSchema) }, closed)

export type FaultData = Static<typeof FaultSchema>
