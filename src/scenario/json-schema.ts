import { ANSWER, AnswerSchema } from './schema/answers.ts'
import { FileSchema } from './schema/file.ts'
import { A_STEP } from './schema/words.ts'
import { VERBS } from './verbs/index.ts'

/** The JSON Schema of scenario files, for editors. */
export function jsonSchema(): object {
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'A paysim scenario',
    ...FileSchema,
    definitions: {
      step: { anyOf: [...VERBS.values()].map(({ schema }) => schema) },
      answer: { ...AnswerSchema, $comment: undefined },
    },
  }
  return JSON.parse(JSON.stringify(schema, (_, value) => forEditors(value)))
}

/** Editors know a duration only as ISO 8601. For a step inside a step, they follow a reference. */
function forEditors(value: { $comment?: unknown; format?: unknown } | null | undefined): unknown {
  if (value?.$comment === A_STEP.$comment) return { $ref: '#/definitions/step' }
  if (value?.$comment === ANSWER) return { $ref: '#/definitions/answer' }
  if (value?.format !== 'duration') return value
  const { format: _, ...rest } = value
  return { ...rest, pattern: '^((\\d+(\\.\\d+)?(ms|s|m|h|d))+|P[0-9WDTHMS.]+)$' }
}
