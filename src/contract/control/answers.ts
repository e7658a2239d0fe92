import type { TSchema } from '@sinclair/typebox'
import type { ControlOperation } from './operations/operation.ts'
import { type ControlCall, controlOperations } from './operations.ts'

/** What of a schema says whether an answer comes from a control surface: members and kinds, not every value. */
export interface AnswerSchema {
  /** The name of another one. */
  readonly named?: string
  readonly type?: string
  readonly properties?: Readonly<Record<string, AnswerSchema>>
  /** Which of them may be missing. */
  readonly optional?: readonly string[]
  /** The members of an object that have any name. */
  readonly values?: AnswerSchema
  readonly items?: AnswerSchema
  readonly anyOf?: readonly AnswerSchema[]
}

interface Answers {
  /** By call; null if a success has no body. What is not JSON has no schema. */
  readonly calls: Readonly<Partial<Record<ControlCall, AnswerSchema | null>>>
  readonly named: Readonly<Record<string, AnswerSchema>>
}

/** The build puts the value in place of this file, because it takes longer to make the schemas than to make a call. */
export const ANSWERS: Answers = answersOf(controlOperations('any'))

function answersOf(operations: Readonly<Record<ControlCall, ControlOperation>>): Answers {
  const named: Record<string, AnswerSchema> = {}
  const calls = Object.entries(operations).flatMap(([call, { answers }]) => {
    const success = Object.keys(answers).find(status => status.startsWith('2'))
    const body = answers[Number(success)]
    if (body === undefined || (body !== null && 'media' in body)) return []
    return [[call, body === null ? null : essentials(body, named)]]
  })
  return { calls: Object.fromEntries(calls), named }
}

function essentials(schema: TSchema, named: Record<string, AnswerSchema>): AnswerSchema {
  const { title } = schema
  if (title === undefined) return unnamed(schema, named)
  if (!(title in named)) {
    named[title] = {}
    named[title] = unnamed(schema, named)
  }
  return { named: title }
}

function unnamed(
  { type, properties, required = [], patternProperties, items, anyOf }: TSchema,
  named: Record<string, AnswerSchema>,
): AnswerSchema {
  const of = (schema: TSchema) => essentials(schema, named)
  const [values] = Object.values<TSchema>(patternProperties ?? {})
  const optional = Object.keys(properties ?? {}).filter(name => !required.includes(name))
  return {
    ...(type === undefined ? {} : { type }),
    ...(properties === undefined
      ? {}
      : {
          properties: Object.fromEntries(
            Object.entries<TSchema>(properties).map(([name, schema]) => [name, of(schema)]),
          ),
        }),
    ...(optional.length === 0 ? {} : { optional }),
    ...(values === undefined ? {} : { values: of(values) }),
    ...(items === undefined ? {} : { items: of(items) }),
    ...(anyOf === undefined ? {} : { anyOf: anyOf.map(of) }),
  }
}
