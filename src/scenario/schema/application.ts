import type { Static } from '@sinclair/typebox'
import * as Type from '@sinclair/typebox'
import { OPTIONAL_EVENTS, STANDARD_EVENTS } from '../../contract/event-names.ts'
import { closed, maybe, oneOf, text } from './words.ts'

/** @internal */
export const requestLine = (description: string) => Type.String({ pattern: '^[A-Z]+ /', description })

/** The merchant's own program, which steps call and check. */
export const ApplicationSchema = Type.Object(
  {
    start: maybe(
      Type.Unsafe<string | string[]>({
        description:
          'the command that starts it: a line or a list of words; it runs without a shell, unless the line starts with `sh: `',
        anyOf: [text('a line'), Type.Array(Type.String(), { minItems: 1 })],
      }),
    ),
    url: maybe(
      Type.String({
        pattern: '^https?://',
        description: 'the URL of a running application, instead of start; it is not restarted',
      }),
    ),
    folder: maybe(
      text("the folder to start it in, relative to the scenario; the scenario's folder by default"),
    ),
    webhooks: maybe(
      Type.String({
        pattern: '^/',
        description: 'the path of its webhook endpoint; without it, it gets no webhooks',
      }),
    ),
    ready: maybe(
      requestLine(
        'a request that it answers with 2xx once it is ready, such as `GET /health`; without it, it is ready once its port accepts connections',
      ),
    ),
    env: maybe(Type.Record(Type.String(), Type.String(), { description: 'more environment variables' })),
    fresh: maybe(
      oneOf(
        ['run', 'never'],
        '`run` (default) starts a process for each run; `never` uses one process for all runs',
      ),
    ),
    events: maybe(
      Type.Array(oneOf([...STANDARD_EVENTS, ...OPTIONAL_EVENTS, '*']), {
        minItems: 1,
        description: 'the events that it subscribes to; by default, the final events',
      }),
    ),
  },
  {
    ...closed,
    description: "the merchant's application: paysim starts it for the run, and steps call and check it",
  },
)
export type ApplicationData = Static<typeof ApplicationSchema>
