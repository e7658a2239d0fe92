import type { Static } from '@sinclair/typebox'
import * as Type from '@sinclair/typebox'
import { OPTIONAL_EVENTS, STANDARD_EVENTS } from '../../contract/event-names.ts'
import { closed, maybe, oneOf, text } from './words.ts'

/** @internal */
export const requestLine = (description: string) => Type.String({ pattern: '^[A-Z]+ /', description })

/** The merchant's own program, which steps call and look at. */
export const ApplicationSchema = Type.Object(
  {
    start: maybe(
      Type.Unsafe<string | string[]>({
        description:
          'the command that starts it, run without a shell unless it begins with `sh: `; a line, or a list of words',
        anyOf: [text('a line'), Type.Array(Type.String(), { minItems: 1 })],
      }),
    ),
    url: maybe(
      Type.String({
        pattern: '^https?://',
        description: 'in place of start: where it runs already; it is not restarted',
      }),
    ),
    folder: maybe(
      text(
        'the folder in which it starts, from where the scenario lies; that very folder unless it says otherwise',
      ),
    ),
    webhooks: maybe(
      Type.String({
        pattern: '^/',
        description: 'the path at which it takes webhooks; without it, it gets none',
      }),
    ),
    ready: maybe(
      requestLine(
        'the request that it answers with 2xx once it is up, such as `GET /health`; without it, its port takes connections',
      ),
    ),
    env: maybe(
      Type.Record(Type.String(), Type.String(), { description: 'further variables of its environment' }),
    ),
    fresh: maybe(
      oneOf(
        ['run', 'never'],
        'a process for each run, or one for all of them; `run` unless it says otherwise',
      ),
    ),
    events: maybe(
      Type.Array(oneOf([...STANDARD_EVENTS, ...OPTIONAL_EVENTS, '*']), {
        minItems: 1,
        description: 'the events that it asks for; those that are on by default unless it says otherwise',
      }),
    ),
  },
  {
    ...closed,
    description: "the merchant's application, started for the run, called and looked at by steps",
  },
)
export type ApplicationData = Static<typeof ApplicationSchema>
