import type { StringOptions, TSchema } from '@sinclair/typebox'
import * as Type from '@sinclair/typebox'

/** What the parts of the scenario grammar are made of. */

export const closed = { additionalProperties: false }
export const oneOf = <const V extends readonly string[]>(values: V, description?: string) =>
  Type.Unsafe<V[number]>({ type: 'string', enum: [...values], ...(description ? { description } : {}) })
export const maybe = <const T extends TSchema>(schema: T) => Type.Optional(schema)

export const text = (description: string, more: StringOptions = {}) =>
  Type.String({ minLength: 1, description, ...more })
export const duration = (description: string) => Type.String({ format: 'duration', description })
export const instant = (description: string) => Type.String({ format: 'date-time', description })
export const count = (description: string) => Type.Integer({ minimum: 1, maximum: 10_000, description })

/** Anything JSON can say, sent as it stands: a story may also tell of a request that is wrong. */
export const anything = (description: string) => Type.Unknown({ description })
export const object = (description: string) =>
  Type.Unsafe<Record<string, unknown> | string>({
    description,
    anyOf: [{ type: 'object' }, { type: 'string', pattern: '^\\$\\{[^}]+\\}$' }],
  })
/** A record's id; mostly a reference, as `${payment.id}`. */
export const id = (what: string) => text(`the ${what}: its id, mostly as \${name.id}`)

export const nameOf = (description: string) => Type.String({ pattern: '^[a-z][a-z0-9_]*$', description })
export const name = nameOf('a name to refer to it by: lower-case letters, digits and _')

/** What a value must be: a value, an object of paths, or operators as `$like`; docs/scenarios.md lists them. */
export const matcher = (description: string) => Type.Unknown({ description })

export const is = Type.Unknown({ description: 'what it must be' })

/** Where a step stands inside a step: the loader reads it as one, and the published schema refers to it. */
export const A_STEP = { type: 'object', $comment: 'step' }
