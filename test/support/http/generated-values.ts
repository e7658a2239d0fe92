import { Ajv2020 } from 'ajv/dist/2020.js'
import fc from 'fast-check'

/** Generates values from a JSON schema: valid ones, and ones with a single problem. */

// biome-ignore lint/suspicious/noExplicitAny: a schema as it came
export type Schema = any

const isTimestamp = (text: string) =>
  /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text))

const ajv = new Ajv2020({ strict: false, formats: { uri: URL.canParse, 'date-time': isTimestamp } })
const validators = new WeakMap<object, (value: unknown) => boolean>()

function keepsTo(schema: Schema, value: unknown): boolean {
  const validate = validators.get(schema) ?? ajv.compile(schema)
  validators.set(schema, validate)
  return validate(value)
}

/** The longest generated text, because longer ones show nothing new. */
const LONG = 60

export const valuesOf = (schema: Schema): fc.Arbitrary<unknown> =>
  partsOf(schema).filter(value => keepsTo(schema, value))

function partsOf(schema: Schema): fc.Arbitrary<unknown> {
  if (schema.const !== undefined) return fc.constant(schema.const)
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(partsOf))
  // For formats that a schema cannot express completely.
  if (schema.examples) return fc.constantFrom(...schema.examples)
  switch (schema.type) {
    case 'integer':
      return fc.integer({ min: schema.minimum, max: schema.maximum })
    case 'array':
      return fc.array(partsOf(schema.items), { minLength: schema.minItems ?? 0, maxLength: 3 })
    case 'object':
      return membersOf(schema)
    case 'null':
      return fc.constant(null)
    default:
      return textsOf(schema)
  }
}

const membersOf = ({ properties = {}, required = [] }: Schema) =>
  fc.record(Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, partsOf(member)])), {
    requiredKeys: required,
  })

function textsOf({ format, pattern, minLength = 0, maxLength = LONG }: Schema): fc.Arbitrary<string> {
  if (format === 'date-time') {
    const range = { min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }
    return fc.date(range).map(date => date.toISOString())
  }
  const fits = (text: string) => [...text].length >= minLength && [...text].length <= maxLength
  if (pattern) return fc.stringMatching(new RegExp(pattern, 'u')).filter(fits)
  const short = fc.string({ unit: 'binary', minLength, maxLength: Math.min(maxLength, LONG) })
  const longest = fc.string({ unit: 'binary', minLength: maxLength, maxLength })
  return fc.oneof({ weight: 9, arbitrary: short }, { weight: 1, arbitrary: longest })
}

/** A valid value: its example with other, fewer or more members. */
export function variationsOf(schema: Schema, example: object): fc.Arbitrary<unknown> {
  const names = Object.keys(schema.properties ?? {})
  return fc
    .tuple(membersOf({ ...schema, required: names }), fc.subarray(names), fc.subarray(names))
    .map(([made, changed, left]) => {
      const pick = (from: object, wanted: (name: string) => boolean) =>
        Object.fromEntries(Object.entries(from).filter(([name]) => wanted(name)))
      const kept = pick(example, name => !left.includes(name))
      return { ...kept, ...pick(made, name => changed.includes(name) && changed.length < names.length / 2) }
    })
    .filter(value => keepsTo(schema, value))
}

export interface InvalidValue {
  /** What was changed. */
  readonly how: string
  readonly value: unknown
}

const OTHER_TYPES = [null, 5, true, [], {}]
const OTHER_TEXTS = ['', ' ', 'nonsense', '-1', '1.5', 'é', '2026-01-01T00:00:00', '2026-02-30T00:00:00Z']

/** The value with one problem, in each way that the schema detects. */
export function invalidValues(schema: Schema, value: unknown): InvalidValue[] {
  return [...changesOf(schema, value, 'it')].filter(({ value: changed }) => !keepsTo(schema, changed))
}

/** The same for the members of a query, which are text, so a number and its digits are equal. */
export function invalidQueries(schema: Schema, query: Record<string, unknown>): InvalidValue[] {
  const isText = (member: unknown) => typeof member === 'string' || Array.isArray(member)
  return invalidValues(schema, query).filter(
    ({ value }) =>
      isObject(value) &&
      Object.entries(value).every(([name, member]) => member === query[name] || isText(member)),
  )
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function* changesOf(schema: Schema, value: unknown, at: string): Generator<InvalidValue> {
  const plain = schema.anyOf?.[0] ?? schema
  for (const other of OTHER_TYPES) yield { how: `${at} is ${JSON.stringify(other)}`, value: other }
  if (plain.type !== 'object') yield* textsInstead(plain, at)
  if (!isObject(value)) return
  const { properties = {}, additionalProperties } = plain
  for (const name of Object.keys(value)) {
    const { [name]: _, ...others } = value
    yield { how: `${at} has no ${name}`, value: others }
  }
  for (const [name, member] of Object.entries<Schema>(properties)) {
    for (const changed of changesOf(member, value[name], name))
      yield { how: changed.how, value: { ...value, [name]: changed.value } }
    for (const example of member.examples ?? [])
      yield { how: `${at} has ${name} too`, value: { ...value, [name]: example } }
  }
  if (additionalProperties === false)
    yield { how: `${at} has an unknown member`, value: { ...value, more: 'x' } }
}

function* textsInstead({ maxLength, type, items }: Schema, at: string): Generator<InvalidValue> {
  for (const text of OTHER_TEXTS) {
    const value = type === 'array' ? [text] : text
    yield { how: `${at} is ${JSON.stringify(value)}`, value }
  }
  if (maxLength) yield { how: `${at} is too long`, value: 'é'.repeat(maxLength + 1) }
  if (items?.enum) yield { how: `${at} has an unknown item`, value: [...items.enum, 'nonsense'] }
}
