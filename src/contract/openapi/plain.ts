import type { TSchema } from '@sinclair/typebox'
import { DURATION_PATTERN } from '../durations.ts'
import { LIMITS, RECEIPT_TYPES } from '../limits.ts'

export type Json = Record<string, unknown>

export const CONTACT = { name: 'The developers of paysim' }

/** Turns a schema into plain JSON. What has a name is moved to the components. */
export type Describe = (schema: TSchema) => Json

/**
 * Schemas as other programs understand them: a named one is a component, a union whose members differ in one constant
 * member says in which, and a duration is a pattern.
 */
export function componentsIn(components: Record<string, Json>): Describe {
  const described = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(described)
    return typeof value === 'object' && value !== null ? describe(value as TSchema) : value
  }
  const describe: Describe = schema => {
    const { title, properties, anyOf, format, $ref, ...rest } = schema
    const plain: Json = {
      ...mapValues<unknown, unknown>(rest, described),
      ...(properties === undefined ? {} : { properties: mapValues(properties, described) }),
      ...(anyOf === undefined ? {} : unionOf(anyOf, described)),
      ...(format === undefined ? {} : format === 'duration' ? { pattern: DURATION_PATTERN } : { format }),
      ...($ref === undefined ? {} : reference($ref)),
    }
    if (title === undefined) return plain
    components[title] = plain
    return reference(title)
  }
  return describe
}

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` })

function unionOf(members: readonly TSchema[], described: (value: unknown) => unknown): Json {
  const discriminator = discriminatorOf(members)
  return discriminator ? { oneOf: members.map(described), discriminator } : { anyOf: members.map(described) }
}

/** The first property that is another constant in each of the named members. */
function discriminatorOf(members: readonly TSchema[]): Json | undefined {
  const [first] = members
  if (!first || !members.every(({ title }) => title !== undefined)) return undefined
  for (const propertyName of Object.keys(first.properties ?? {})) {
    const values = members.flatMap(({ title, properties }) =>
      constantsOf(properties?.[propertyName] ?? {}).map(
        value => [value, reference(title ?? '').$ref] as const,
      ),
    )
    const mapping = Object.fromEntries(values)
    const inEach = new Set(values.map(([, name]) => name)).size === members.length
    if (inEach && Object.keys(mapping).length === values.length) return { propertyName, mapping }
  }
  return undefined
}

const constantsOf = ({ const: constant, enum: values = [constant] }: Json): string[] =>
  (values as unknown[]).filter(value => typeof value === 'string')

/**
 * A form with an image. It says nothing of a type, as bytes have none: generators would take `string` for text, and send
 * what it says.
 */
export const imageForm = (others: Readonly<Record<string, TSchema>> = {}): Json => ({
  'multipart/form-data': {
    schema: {
      type: 'object',
      required: ['file'],
      properties: {
        file: {
          contentMediaType: 'application/octet-stream',
          description: `A JPEG or PNG image of at most ${LIMITS.receiptImage} bytes`,
        },
        ...mapValues(others, componentsIn({})),
      },
    },
    encoding: { file: { contentType: RECEIPT_TYPES.join(', ') } },
    example: { file: 'the bytes of the image' },
  },
})

const mapValues = <V, W>(values: Record<string, V>, map: (value: V) => W): Record<string, W> =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value)]))
