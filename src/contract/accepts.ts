import type { TSchema } from '@sinclair/typebox'
import { parseDuration } from './durations.ts'
import { parseTimestamp } from './timestamps.ts'

type Accepts = (value: unknown) => boolean

/** The formats of our schemas. */
export const FORMATS: Readonly<Record<string, (text: string) => boolean>> = {
  duration: text => parseDuration(text) !== undefined,
  uri: text => /^[a-z][a-z\d+.-]*:[^\s]+$/i.test(text),
  'date-time': text => parseTimestamp(text) !== undefined,
}

/**
 * Whether a value certainly fits a schema. Almost every value does, and this is known at once. To say what is wrong with
 * another one takes a compiler, which takes longer to load and to start than most requests take. TypeBox's own check does not
 * know schemas that are plain JSON.
 */
export function accepts(schema: TSchema): Accepts {
  const rules: Accepts[] = []
  for (const keyword of Object.keys(schema)) {
    if (SILENT.has(keyword)) continue
    const rule = RULES[keyword]?.(schema)
    // What is not known here is left to the compiler.
    if (!rule) return () => false
    rules.push(rule)
  }
  if (OF_OBJECTS.some(keyword => schema[keyword] !== undefined)) rules.push(ofObject(schema))
  const [first, second] = rules
  if (!first) return () => true
  if (!second) return first
  return value => rules.every(rule => rule(value))
}

/** They are one rule together. */
const OF_OBJECTS = ['properties', 'patternProperties', 'required', 'additionalProperties']
const SILENT = new Set([...OF_OBJECTS, '$comment', 'title', 'description', 'examples', 'default'])

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const TYPES: Readonly<Record<string, Accepts>> = {
  string: value => typeof value === 'string',
  boolean: value => typeof value === 'boolean',
  number: Number.isFinite,
  integer: Number.isInteger,
  null: value => value === null,
  array: Array.isArray,
  object: isObject,
}

const ofText =
  (rule: (text: string) => boolean): Accepts =>
  value =>
    typeof value !== 'string' || rule(value)
const ofNumber =
  (rule: (number: number) => boolean): Accepts =>
  value =>
    typeof value !== 'number' || rule(value)
const ofMembers =
  (rule: (names: readonly string[]) => boolean): Accepts =>
  value =>
    !isObject(value) || rule(Object.keys(value))
const ofList =
  (rule: (list: readonly unknown[]) => boolean): Accepts =>
  value =>
    !Array.isArray(value) || rule(value)

/** Code points, as the standard counts. */
const lengthOf = (text: string) => [...text].length

const isPrimitive = (value: unknown) => typeof value !== 'object' || value === null

/** The rule of each keyword, for values of the kind that it is about. Undefined if a form of it is not known. */
const RULES: Readonly<Record<string, (schema: TSchema) => Accepts | undefined>> = {
  type: ({ type }) => TYPES[type],
  const: ({ const: only }) => (isPrimitive(only) ? value => value === only : undefined),
  enum: ({ enum: all }) => (all.every(isPrimitive) ? value => all.includes(value) : undefined),
  anyOf: ({ anyOf }) => {
    const branches: Accepts[] = anyOf.map(accepts)
    return value => branches.some(branch => branch(value))
  },
  pattern: ({ pattern }) => {
    const expression = new RegExp(pattern, 'u')
    return ofText(text => expression.test(text))
  },
  format: ({ format }) => {
    const rule = FORMATS[format]
    return rule && ofText(rule)
  },
  minLength: ({ minLength }) => ofText(text => lengthOf(text) >= minLength),
  maxLength: ({ maxLength }) => ofText(text => text.length <= maxLength || lengthOf(text) <= maxLength),
  minimum: ({ minimum }) => ofNumber(number => number >= minimum),
  maximum: ({ maximum }) => ofNumber(number => number <= maximum),
  exclusiveMinimum: ({ exclusiveMinimum: least }) => ofNumber(number => number > least),
  exclusiveMaximum: ({ exclusiveMaximum: most }) => ofNumber(number => number < most),
  minItems: ({ minItems }) => ofList(list => list.length >= minItems),
  maxItems: ({ maxItems }) => ofList(list => list.length <= maxItems),
  uniqueItems: () => ofList(list => list.every(isPrimitive) && new Set(list).size === list.length),
  items: ({ items }) => {
    const item = accepts(items)
    return ofList(list => list.every(item))
  },
  minProperties: ({ minProperties }) => ofMembers(names => names.length >= minProperties),
  maxProperties: ({ maxProperties }) => ofMembers(names => names.length <= maxProperties),
  propertyNames: ({ propertyNames }) => {
    const name = accepts(propertyNames)
    return ofMembers(names => names.every(name))
  },
}

/** The members by name or pattern, which of them are required, and whether there may be others. */
function ofObject({
  properties = {},
  patternProperties = {},
  required = [],
  additionalProperties = true,
}: TSchema): Accepts {
  const named = new Map(Object.entries<TSchema>(properties).map(([name, schema]) => [name, accepts(schema)]))
  const patterns = Object.entries<TSchema>(patternProperties).map(
    ([pattern, schema]) => [new RegExp(pattern, 'u'), accepts(schema)] as const,
  )
  const other = typeof additionalProperties === 'boolean' ? undefined : accepts(additionalProperties)
  const isFit = (name: string, value: unknown) => {
    const rule = named.get(name)
    let isKnown = rule !== undefined
    if (rule && value !== undefined && !rule(value)) return false
    for (const [pattern, accept] of patterns) {
      if (!pattern.test(name)) continue
      isKnown = true
      if (!accept(value)) return false
    }
    return isKnown || (other ? other(value) : additionalProperties)
  }
  return value => {
    if (!isObject(value)) return true
    for (const name of required) if (value[name] === undefined) return false
    for (const name in value) if (!isFit(name, value[name])) return false
    return true
  }
}
