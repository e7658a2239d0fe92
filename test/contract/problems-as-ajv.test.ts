import type { TSchema } from '@sinclair/typebox'
import { Ajv, type ErrorObject } from 'ajv'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TOOLS } from '../../src/cli/mcp/tools.ts'
import type { ControlOperations } from '../../src/contract/control/operations/operation.ts'
import { controlOperations } from '../../src/contract/control/operations.ts'
import * as requests from '../../src/contract/control/requests.ts'
import { resources } from '../../src/contract/resources.ts'
import { FORMATS, validator } from '../../src/contract/validation.ts'
import { EVENT_SCHEMAS, object } from '../../src/domain/events.ts'
import { FileSchema } from '../../src/scenario/schema/file.ts'
import { VERBS } from '../../src/scenario/verbs/index.ts'

const ajv = new Ajv({
  allErrors: true,
  verbose: true,
  strict: false,
  validateSchema: false,
  meta: false,
  code: { optimize: false },
})
for (const [name, validate] of Object.entries(FORMATS)) ajv.addFormat(name, { validate })

const isSchema = (value: unknown): value is TSchema =>
  typeof value === 'object' && value !== null && ('type' in value || 'anyOf' in value)

const SCHEMAS: [string, TSchema][] = [
  ...Object.entries(requests),
  ...Object.entries(resources('any')),
  ...Object.entries(EVENT_SCHEMAS).map(([type, members]) => [type, object(members)] as const),
  ...Object.entries(FileSchema.properties).map(([name, part]) => [`file: ${name}`, part] as const),
  ...[...VERBS].map(([name, { schema }]) => [`step: ${name}`, schema] as const),
  ...Object.entries<ControlOperations[string]>(controlOperations('any')).flatMap(([call, { body }]) =>
    body && 'json' in body ? [[call, body.json] as const] : [],
  ),
  ...Object.entries(TOOLS).map(([name, { input }]) => [`tool: ${name}`, input] as const),
  // These two are only for the documents: what they describe is checked in parts.
].flatMap(([name, schema]) =>
  isSchema(schema) && !['Archive', 'PayoutList'].includes(name) ? [[name, schema]] : [],
)

const FOREIGN: unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 53,
  '',
  ' ',
  'x',
  '1',
  '٣',
  '🇹🇭',
  [],
  {},
  ['x'],
  { x: 1 },
]
const TEXTS = ['x', '1', 'PT5M', '5s', '2026-01-31T09:30:00Z', 'http://127.0.0.1/x', 'pi_1', 'a'.repeat(300)]

const WELL_FORMED: Readonly<Record<string, string>> = {
  duration: 'PT5M',
  uri: 'http://127.0.0.1/x',
  'date-time': '2026-01-31T09:30:00Z',
}

/** A value with the shape of the schema. One in `damaged` of its parts is wrong, or may be; 0 means none. */
function nearly(schema: TSchema, any: fc.GeneratorValue, damaged: number): unknown {
  const pick = <T>(values: readonly T[]) => any(() => fc.constantFrom(...values))
  const isOdd = () => damaged > 0 && any(fc.nat, { max: damaged - 1 }) === 0
  if (isOdd()) return pick(FOREIGN)
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return pick(schema.enum)
  if (schema.anyOf) return nearly(pick<TSchema>(schema.anyOf), any, damaged)
  switch (schema.type) {
    case 'string': {
      const { pattern, format, minLength = 0, maxLength = 10 } = schema
      if (isOdd()) return pick([...TEXTS, 'é'.repeat(maxLength + 1), '😀'.repeat(Math.max(0, minLength - 1))])
      if (pattern !== undefined) return any(() => fc.stringMatching(new RegExp(pattern, 'u')))
      return WELL_FORMED[format] ?? pick(['é'.repeat(Math.max(1, minLength)), '😀'.repeat(maxLength)])
    }
    case 'integer':
    case 'number': {
      const { minimum = 1, maximum = minimum + 1 } = schema
      return isOdd() ? pick([minimum - 1, maximum + 1, 1.5]) : pick([minimum, maximum])
    }
    case 'boolean':
      return pick([true, false])
    case 'array': {
      const length = isOdd() ? 0 : Math.max(1, schema.minItems ?? 0)
      return Array.from({ length }, () => nearly(schema.items, any, damaged))
    }
    case 'object': {
      const { properties = {}, patternProperties = {}, required = [] } = schema
      const made = Object.keys(properties)
        .filter(name => (required.includes(name) ? !isOdd() : pick([true, false])))
        .map(name => [name, nearly(properties[name], any, damaged)])
      for (const part of Object.values<TSchema>(patternProperties))
        made.push([pick(TEXTS), nearly(part, any, damaged)])
      if (isOdd()) made.push([pick(['more', 'constructor', 'toString']), pick(FOREIGN)])
      return JSON.parse(JSON.stringify(Object.fromEntries(made)))
    }
    default:
      return pick(FOREIGN)
  }
}

const unescapePointer = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~')

/** Where Ajv finds something wrong, each place once, in its order. */
function placesOf(errors: readonly ErrorObject[]): readonly string[] {
  const places = errors.map(({ instancePath, keyword, params }) => {
    const path = instancePath.split('/').slice(1).map(unescapePointer)
    if (keyword === 'required') path.push(params.missingProperty)
    if (keyword === 'additionalProperties') path.push(params.additionalProperty)
    return path.join('.') || 'body'
  })
  const named = [...new Set(places)].slice(0, 50)
  return named.filter(place => !named.some(other => other.startsWith(`${place}.`)))
}

const accepted = new Set<TSchema>()
const refused = new Set<TSchema>()

test.each(SCHEMAS)('%s: what does not fit is found where Ajv finds it', (_, schema) => {
  const fits = ajv.compile(schema)
  const check = validator(schema)
  fc.assert(
    fc.property(fc.gen(), any => {
      const value = nearly(
        schema,
        any,
        any(() => fc.constantFrom(0, 30, 5)),
      )
      const fields = check(value).map(({ field }) => field)
      ;(fields.length === 0 ? accepted : refused).add(schema)
      expect({ value, fields }).toEqual({ value, fields: fits(value) ? [] : placesOf(fits.errors ?? []) })
    }),
    { numRuns: 20, endOnFailure: true, seed: 1 },
  )
})

test('most schemas got a value that fits, and one that does not', () => {
  expect(accepted.size).toBeGreaterThan(0.8 * SCHEMAS.length)
  expect(refused.size).toBeGreaterThan(0.8 * SCHEMAS.length)
})

test('a rule that is not known is no rule that holds', () => {
  expect(() => validator({ type: 'string', contentEncoding: 'base64' } as never)('x')).toThrow(
    'contentEncoding',
  )
  expect(() => validator({ enum: [{ a: 1 }] } as never)({ a: 1 })).toThrow('enum')
})
