import type { TSchema } from '@sinclair/typebox'

export type Json = Record<string, unknown>

/** A schema as plain JSON, with references that resolve inside the document. */
export function plain(schema: TSchema): Json {
  return JSON.parse(
    JSON.stringify(schema, (key, value) => (key === '$ref' ? `#/components/schemas/${value}` : value)),
  )
}

export const mapValues = <V, W>(values: Record<string, V>, map: (value: V) => W): Record<string, W> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value)]))
