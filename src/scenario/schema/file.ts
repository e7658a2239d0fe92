import type { Static } from '@sinclair/typebox'
import * as Type from '@sinclair/typebox'
import { FaultRule } from '../../contract/control/faults.ts'
import { ProviderRule } from '../../contract/control/rules.ts'
import { EVENT_NAMES } from '../../contract/event-names.ts'
import { oneOf } from '../../contract/schema.ts'
import type { PositionFinder } from '../load/problems.ts'
import { CatalogueOverlay, ClockSchema, PolicySchema, ReceiverSchema } from './account.ts'
import { A_STEP, closed, maybe, text } from './answers.ts'

/** @internal */
export const requestLine = (description: string) => Type.String({ pattern: '^[A-Z]+ /', description })

/** The merchant's own program, which steps call and check. */
const ApplicationSchema = Type.Object(
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
        description: 'the URL of an application that runs already, instead of start',
      }),
    ),
    restart: maybe(
      Type.Unsafe<string | string[]>({
        description:
          'with url: the command that restarts it, in the form of start; it ends once the application was begun again',
        anyOf: [text('a line'), Type.Array(Type.String(), { minItems: 1 })],
      }),
    ),
    folder: maybe(
      text(
        "the folder to start or restart it in, relative to the scenario; the scenario's folder by default",
      ),
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
      Type.Array(oneOf([...EVENT_NAMES, '*']), {
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

export const CHECKS = ['rules', 'faults', 'intents', 'webhooks'] as const
export type Check = (typeof CHECKS)[number]

export const FileSchema = Type.Object(
  {
    $schema: maybe(Type.String({ description: 'for editors' })),
    paysim: Type.Literal(1, { description: 'the version of the file format: 1' }),
    name: text('the name of the scenario'),
    about: maybe(text('what the scenario shows, and why')),
    seed: maybe(
      Type.Unsafe<number | string>({
        description: 'the seed of ids and payment instructions; 1 by default',
        anyOf: [{ type: 'integer' }, { type: 'string', minLength: 1 }],
      }),
    ),
    environment: maybe(oneOf(['test', 'live'])),
    clock: maybe(ClockSchema),
    catalogue: maybe(CatalogueOverlay),
    policy: maybe(PolicySchema),
    provider: maybe(
      Type.Array(ProviderRule, { description: 'what the provider does; the first matching rule applies' }),
    ),
    faults: maybe(
      Type.Array(FaultRule, { description: 'faults on the wire; the first matching one applies' }),
    ),
    receiver: maybe(ReceiverSchema),
    app: maybe(ApplicationSchema),
    let: maybe(
      Type.Record(Type.String({ pattern: '^[a-z][a-z0-9_]*$' }), Type.Unknown(), {
        description: `named values, for \${name}`,
      }),
    ),
    steps: maybe(Type.Array(Type.Unsafe<object>(A_STEP), { description: 'the steps' })),
    verify: maybe(
      Type.Unsafe<'all' | Check[]>({
        description:
          'what to check at the end: every rule was used, every fault was hit, every intent matched a rule, every webhook was expected',
        anyOf: [oneOf(['all']), Type.Array(oneOf(CHECKS), { minItems: 1 })],
      }),
    ),
  },
  closed,
)

export type ScenarioData = Static<typeof FileSchema>

/** A scenario that was read and checked. */
export interface Scenario {
  readonly file: string
  /**
   * The folder that the paths in its steps are relative to. Null for a text without a file: its sender may be a
   * stranger, so its run can read no file and start no program.
   */
  readonly folder: string | null
  readonly data: ScenarioData
  readonly positions: PositionFinder
}
