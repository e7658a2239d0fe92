import type { Static, StringOptions, TSchema } from '@sinclair/typebox'
import * as Type from '@sinclair/typebox'
import { ERROR_STATUS, type ErrorCode } from '../../contract/errors.ts'
import { oneOf } from '../../contract/schema.ts'

export const closed = { additionalProperties: false }
export const maybe = <const T extends TSchema>(schema: T) => Type.Optional(schema)

export const text = (description: string, more: StringOptions = {}) =>
  Type.String({ minLength: 1, description, ...more })
export const duration = (description: string) => Type.String({ format: 'duration', description })
export const instant = (description: string) => Type.String({ format: 'date-time', description })
export const count = (description: string) => Type.Integer({ minimum: 1, maximum: 10_000, description })

/** Any JSON value, sent unchanged, because a scenario may send an invalid request. */
export const anything = (description: string) => Type.Unknown({ description })
export const object = (description: string, offered?: TSchema) =>
  Type.Unsafe<Record<string, unknown> | string>({
    description,
    anyOf: [
      { type: 'object', ...membersOf(offered) },
      { type: 'string', pattern: '^\\$\\{[^}]+\\}$' },
    ],
  })

/** The names in a schema, which an editor offers, without its rules: a scenario may break them on purpose. */
function membersOf(schema: TSchema | undefined): object {
  if (schema?.properties === undefined) return {}
  const offered = Object.entries<TSchema>(schema.properties).map(([name, member]) => {
    const { description } = member
    return [name, { ...(description === undefined ? {} : { description }), ...membersOf(member) }]
  })
  return { properties: Object.fromEntries(offered) }
}
/** The id of a record, usually a reference such as `${payment.id}`. */
export const id = (what: string) => text(`the id of the ${what}, usually as \${name.id}`)

const nameOf = (description: string) => Type.String({ pattern: '^[a-z][a-z0-9_]*$', description })
export const name = nameOf('the name of the stored result: lower-case letters, digits and _')

/** An expected value: a value, an object of paths, or operators such as `$like`; docs/scenarios.md lists them. */
export const matcher = (description: string) => Type.Unknown({ description })

export const is = Type.Unknown({ description: 'the expected value' })

/** A step inside a step. The loader checks it as a step, and the published schema has a reference here. */
export const A_STEP = { type: 'object', $comment: 'step' }

/** Marks a definition that many steps share in the published schema. */
export const ANSWER = 'answer'

/** What a merchant or a payer expects of the answer to a call. */
export const AnswerSchema = Type.Object(
  {
    status: maybe(matcher('the HTTP status; without it, and without `error` or `lost`, it must be a 2xx')),
    error: maybe(
      oneOf(Object.keys(ERROR_STATUS) as ErrorCode[], 'the error code, wherever it is in the body'),
    ),
    fields: maybe(Type.Array(text('a field'), { description: 'the fields that a validation_failed names' })),
    headers: maybe(Type.Record(Type.String(), matcher('the expected headers'))),
    body: maybe(matcher('the expected JSON body')),
    text: maybe(matcher('the expected body as text')),
    'same as': maybe(nameOf('the name of a step with the same answer, byte for byte')),
    lost: maybe(Type.Literal(true, { description: 'no complete answer arrives: the connection is closed' })),
  },
  { ...closed, $comment: ANSWER, description: 'the expected answer' },
)
export type AnswerExpectation = Static<typeof AnswerSchema>

/** Members of every step that has an answer. */
export const answered = {
  as: maybe(name),
  expect: maybe(AnswerSchema),
}

/** Members of every call of the merchant. */
export const merchantCall = {
  ...answered,
  keys: maybe(
    oneOf(
      ['test', 'live', 'wrong', 'none'],
      'the credentials: those of an environment, a wrong secret, or none',
    ),
  ),
  headers: maybe(Type.Record(Type.String(), Type.String(), { description: 'more headers' })),
}
export const idempotentCall = {
  ...merchantCall,
  key: maybe(Type.String({ description: 'the Idempotency-Key' })),
}

const image = Type.Unsafe<string | { name: string; type?: 'png' | 'jpeg' | 'gif' | 'text'; bytes?: number }>({
  description: 'an image generated from its name; the same name gives the same bytes',
  anyOf: [
    text('its name'),
    Type.Object(
      {
        name: text('its name'),
        type: maybe(oneOf(['png', 'jpeg', 'gif', 'text'], 'its type; png by default')),
        bytes: maybe(
          Type.Integer({ minimum: 1, maximum: 16_777_216, description: 'its exact size in bytes' }),
        ),
      },
      closed,
    ),
  ],
})
/** Where an image comes from: exactly one of the two. */
export const picture = {
  image: maybe(image),
  file: maybe(text('a file, relative to the scenario')),
}
export type Image = Static<typeof image>

export const failure = {
  failure_code: maybe(text('the failure_code of the record')),
  failure_message: maybe(text('the failure_message of the record')),
}

/** The building blocks of the scenario schema. */
