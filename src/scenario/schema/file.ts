import type { Static } from '@sinclair/typebox'
import * as Type from '@sinclair/typebox'
import { FaultRule } from '../../contract/control/faults.ts'
import { ProviderRule } from '../../contract/control/rules.ts'
import { ClockSchema, PolicySchema, ReceiverSchema } from './account.ts'
import { ApplicationSchema } from './application.ts'
import { CatalogueOverlay } from './catalogue.ts'
import { A_STEP, closed, maybe, oneOf, text } from './words.ts'

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
