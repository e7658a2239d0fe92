import type { StringOptions, TSchema } from '@sinclair/typebox'
import * as Type from '@sinclair/typebox'

/** The building blocks of the scenario schema. */

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

export const nameOf = (description: string) => Type.String({ pattern: '^[a-z][a-z0-9_]*$', description })
export const name = nameOf('the name of the stored result: lower-case letters, digits and _')

/** An expected value: a value, an object of paths, or operators such as `$like`; docs/scenarios.md lists them. */
export const matcher = (description: string) => Type.Unknown({ description })

export const is = Type.Unknown({ description: 'the expected value' })

/** A step inside a step. The loader checks it as a step, and the published schema has a reference here. */
export const A_STEP = { type: 'object', $comment: 'step' }
