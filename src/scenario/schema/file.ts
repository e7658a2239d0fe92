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
    paysim: Type.Literal(1, { description: 'the version of this grammar: 1' }),
    name: text('what the story is called'),
    about: maybe(text('what it shows, and why')),
    seed: maybe(
      Type.Unsafe<number | string>({
        description: 'the same seed, the same ids and instructions; 1 unless told',
        anyOf: [{ type: 'integer' }, { type: 'string', minLength: 1 }],
      }),
    ),
    environment: maybe(oneOf(['test', 'live'])),
    clock: maybe(ClockSchema),
    catalogue: maybe(CatalogueOverlay),
    policy: maybe(PolicySchema),
    provider: maybe(Type.Array(ProviderRule, { description: 'what the provider will do: first match wins' })),
    faults: maybe(Type.Array(FaultRule, { description: 'what goes wrong on the wire: first match wins' })),
    receiver: maybe(ReceiverSchema),
    app: maybe(ApplicationSchema),
    let: maybe(
      Type.Record(Type.String({ pattern: '^[a-z][a-z0-9_]*$' }), Type.Unknown(), {
        description: `values with a name, for \${name}`,
      }),
    ),
    steps: maybe(Type.Array(Type.Unsafe<object>(A_STEP), { description: 'the story' })),
    verify: maybe(
      Type.Unsafe<'all' | Check[]>({
        description:
          'what must be true at the end: every rule used, every fault hit, every intent met by a rule, every webhook expected',
        anyOf: [oneOf(['all']), Type.Array(oneOf(CHECKS), { minItems: 1 })],
      }),
    ),
  },
  closed,
)

export type ScenarioData = Static<typeof FileSchema>
