import type { Static } from '@sinclair/typebox'
import * as Type from '@sinclair/typebox'
import { OPTIONAL_EVENTS, STANDARD_EVENTS } from '../../contract/event-names.ts'
import { CHECKOUT_MODES } from '../../contract/requests.ts'
import { closed, duration, instant, maybe, oneOf } from './words.ts'

/** What a file says of its account, and what steps can change: the clock, the policy, the webhook receiver. */

type ClockMode = 'virtual' | 'real'
export type ScenarioClock = ClockMode | { mode: ClockMode; now?: string; rate?: number | string }

const mode = oneOf(['virtual', 'real'])
export const ClockSchema = Type.Unsafe<ScenarioClock>({
  description: 'virtual stands still until `advance`; real follows the wall, `rate` times as fast',
  anyOf: [
    mode,
    Type.Object(
      {
        mode,
        now: maybe(instant('where it begins')),
        rate: maybe(
          Type.Union([
            Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000 }),
            Type.String({ pattern: '^\\d+(\\.\\d+)?x$' }),
          ]),
        ),
      },
      closed,
    ),
  ],
})

/** The mode of a clock, in whichever form it is given. */
export const modeOf = (clock: ScenarioClock | undefined): ClockMode =>
  typeof clock === 'object' ? clock.mode : (clock ?? 'virtual')

export const PolicySchema = Type.Object(
  { checkout_modes: Type.Array(oneOf(CHECKOUT_MODES), { uniqueItems: true }) },
  { ...closed, description: 'the Team policy: which checkout modes are allowed' },
)
export type ScenarioPolicy = Static<typeof PolicySchema>

const Reply = Type.Object(
  {
    status: Type.Integer({ minimum: 200, maximum: 599, description: 'the status that it answers with' }),
    retry_after: maybe(duration('the Retry-After that it sends')),
    times: maybe(
      Type.Integer({ minimum: 1, description: 'for so many webhooks; the last goes on for ever' }),
    ),
  },
  closed,
)
export type ReceiverReply = Static<typeof Reply>

/** `up` answers 200, `down` cuts the connection; or one reply, or one after the other. */
export type ReceiverBehaviour = 'up' | 'down' | ReceiverReply | ReceiverReply[]
export const BehaviourSchema = Type.Unsafe<ReceiverBehaviour>({
  description: 'up (200), down (cuts the connection), one reply, or one after the other',
  anyOf: [oneOf(['up', 'down']), Reply, Type.Array(Reply, { minItems: 1 })],
})

export const ReceiverSchema = Type.Object(
  {
    events: maybe(
      Type.Array(oneOf([...STANDARD_EVENTS, ...OPTIONAL_EVENTS, '*']), {
        minItems: 1,
        description: 'the events that it asks for; those on by default unless told',
      }),
    ),
    answers: maybe(BehaviourSchema),
  },
  { ...closed, description: "the merchant's webhook receiver" },
)
