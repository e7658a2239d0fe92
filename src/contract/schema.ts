import type { Static, TArray, TNull, TObject, TProperties, TSchema, TUnion } from '@sinclair/typebox'
import * as Type from '@sinclair/typebox'

/** The building blocks of the schemas. Every object is closed, and its schema says so. */

export const object = <P extends TProperties>(properties: P) =>
  Type.Object(properties, { additionalProperties: false })

/** The same schema with a name, under which a document lists it. */
export const named = <S extends TSchema>(name: string, schema: S): S => ({ ...schema, title: name })

/** An object that may have more members than these. */
export const openObject = <P extends TProperties>(properties: P) =>
  Type.Unsafe<Static<TObject<P>> & { [member: string]: unknown }>(
    Type.Object(properties, { additionalProperties: true }),
  )

export const oneOf = <const V extends readonly string[]>(values: V, description?: string) =>
  Type.Unsafe<V[number]>({ type: 'string', enum: [...values], ...(description ? { description } : {}) })

export const nullable = <S extends TSchema>(schema: S): TUnion<[S, TNull]> =>
  Type.Union([schema, Type.Null()])

/** All records of a kind. */
export const list = <S extends TSchema>(schema: S) => object({ data: Type.Array(schema) as TArray<S> })

export const timestamp = Type.String({ format: 'date-time' })
const positive = '^[1-9]\\d*$'
export const amount = Type.String({ pattern: positive })
export const count = Type.Integer({ minimum: 0 })
/** Amount, currency and country as somebody gives them. The descriptions are the second half of a problem's message. */
export const givenAmount = Type.String({
  pattern: positive,
  description: 'a positive integer in minor units',
})
export const givenCurrency = Type.String({
  pattern: '^[A-Z]{3,6}$',
  description: 'an uppercase currency code',
})
export const givenCountry = Type.String({ pattern: '^[A-Z]{2}$', description: 'an ISO 3166-1 alpha-2 code' })
/** The SHA-256 of an image. */
export const digest = Type.String({ pattern: '^[0-9a-f]{64}$' })

/** The type that a schema describes, read-only, because nobody changes a response. */
export type Wire<S extends TSchema> = Frozen<Static<S>>

export type Frozen<T> = T extends readonly (infer Item)[]
  ? readonly Frozen<Item>[]
  : T extends object
    ? { readonly [Member in keyof T]: Frozen<T[Member]> }
    : T
