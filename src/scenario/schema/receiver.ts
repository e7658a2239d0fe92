import type { Static } from '@sinclair/typebox'
import * as Type from '@sinclair/typebox'
import { OPTIONAL_EVENTS, STANDARD_EVENTS } from '../../contract/event-names.ts'
import { closed, duration, maybe, oneOf } from './words.ts'

/** How the merchant's webhook receiver answers. */
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
export const Behaviour = Type.Unsafe<'up' | 'down' | Reply | Reply[]>({
  description: 'up (200), down (cuts the connection), one reply, or one after the other',
  anyOf: [oneOf(['up', 'down']), Reply, Type.Array(Reply, { minItems: 1 })],
})
export type Reply = Static<typeof Reply>
export type Behaviour = Static<typeof Behaviour>

export const ReceiverSchema = Type.Object(
  {
    events: maybe(
      Type.Array(oneOf([...STANDARD_EVENTS, ...OPTIONAL_EVENTS, '*']), {
        minItems: 1,
        description: 'the events that it asks for; those on by default unless told',
      }),
    ),
    answers: maybe(Behaviour),
  },
  { ...closed, description: "the merchant's webhook receiver" },
)
