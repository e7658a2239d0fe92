import type { Static } from '@sinclair/typebox'
import * as Type from '@sinclair/typebox'
import { FaultRule } from '../../contract/control/faults.ts'
import { ProviderRule } from '../../contract/control/rules.ts'
import { ANSWER, AnswerSchema } from './answers.ts'
import { CatalogueOverlay } from './catalogue.ts'
import { ClockSchema } from './clock.ts'
import { PolicySchema } from './operator-steps.ts'
import { ReceiverSchema } from './receiver.ts'
import { STEPS, type Step } from './steps.ts'
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
    let: maybe(
      Type.Record(Type.String({ pattern: '^[a-z][a-z0-9_]*$' }), Type.Unknown(), {
        description: `values with a name, for \${name}`,
      }),
    ),
    steps: maybe(Type.Array(Type.Unsafe<Step>(A_STEP), { description: 'the story' })),
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

/** As editors have it. */
export function jsonSchema(): object {
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'A paysim scenario',
    ...FileSchema,
    definitions: { step: { anyOf: Object.values(STEPS) }, answer: { ...AnswerSchema, $comment: undefined } },
  }
  return JSON.parse(JSON.stringify(schema, (_, value) => forEditors(value)))
}

/** Editors know a duration as ISO 8601 alone; and where a step stands in a step, they follow a reference. */
function forEditors(value: { $comment?: unknown; format?: unknown } | null | undefined): unknown {
  if (value?.$comment === A_STEP.$comment) return { $ref: '#/definitions/step' }
  if (value?.$comment === ANSWER) return { $ref: '#/definitions/answer' }
  if (value?.format !== 'duration') return value
  const { format: _, ...rest } = value
  return { ...rest, pattern: '^((\\d+(\\.\\d+)?(ms|s|m|h|d))+|P[0-9WDTHMS.]+)$' }
}
