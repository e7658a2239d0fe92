import type { Static } from '@sinclair/typebox'
import * as Type from '@sinclair/typebox'
import { OPTIONAL_EVENTS, STANDARD_EVENTS } from '../../contract/event-names.ts'
import { CHECKOUT_MODES } from '../../contract/requests.ts'
import { closed, duration, instant, maybe, oneOf } from './words.ts'

/** The settings of an account, which steps can change: the clock, the policy, the webhook receiver. */

type ClockMode = 'virtual' | 'real'
export type ScenarioClock = ClockMode | { mode: ClockMode; now?: string; rate?: number | string }

const mode = oneOf(['virtual', 'real'])
export const ClockSchema = Type.Unsafe<ScenarioClock>({
  description: 'virtual moves only with `advance`; real runs at wall time, multiplied by `rate`',
  anyOf: [
    mode,
    Type.Object(
      {
        mode,
        now: maybe(instant('its start time')),
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

/** The mode of a clock in any of its forms. */
export const modeOf = (clock: ScenarioClock | undefined): ClockMode =>
  typeof clock === 'object' ? clock.mode : (clock ?? 'virtual')

export const PolicySchema = Type.Object(
  { checkout_modes: Type.Array(oneOf(CHECKOUT_MODES), { uniqueItems: true }) },
  { ...closed, description: 'the policy of the Team: the allowed checkout modes' },
)
export type ScenarioPolicy = Static<typeof PolicySchema>

const Reply = Type.Object(
  {
    status: Type.Integer({ minimum: 200, maximum: 599, description: 'the HTTP status of the answer' }),
    retry_after: maybe(duration('the Retry-After of the answer')),
    times: maybe(
      Type.Integer({
        minimum: 1,
        description: 'how many webhooks get this reply; the last reply repeats forever',
      }),
    ),
  },
  closed,
)
export type ReceiverReply = Static<typeof Reply>

/** `up` answers 200 and `down` closes the connection; or one reply; or a list of replies. */
export type ReceiverBehaviour = 'up' | 'down' | ReceiverReply | ReceiverReply[]
export const BehaviourSchema = Type.Unsafe<ReceiverBehaviour>({
  description: 'up (200), down (closes the connection), one reply, or a list of replies',
  anyOf: [oneOf(['up', 'down']), Reply, Type.Array(Reply, { minItems: 1 })],
})

export const ReceiverSchema = Type.Object(
  {
    events: maybe(
      Type.Array(oneOf([...STANDARD_EVENTS, ...OPTIONAL_EVENTS, '*']), {
        minItems: 1,
        description: 'the events that it subscribes to; by default, the final events',
      }),
    ),
    answers: maybe(BehaviourSchema),
  },
  { ...closed, description: "the merchant's webhook receiver" },
)
