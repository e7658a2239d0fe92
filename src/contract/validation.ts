import type { TSchema } from '@sinclair/typebox'
import type { Ajv, ErrorObject, ValidateFunction } from 'ajv'
import { closest } from './closest.ts'
import { parseDuration } from './durations.ts'
import type { FieldProblem } from './errors.ts'
import { isRecord } from './json.ts'
import { parseTimestamp } from './timestamps.ts'

/** Node's, which the types of a browser do not have. */
declare const require: (name: 'ajv') => typeof import('ajv')

// Our own schemas are type-checked, so Ajv need not validate them. Ajv's code optimisation is off because it took
// half of the time of each first use.
function newCompiler(): Ajv {
  // Not imported, because to load it takes a tenth of a start, and most commands validate nothing.
  const { Ajv } = require('ajv')
  const ajv = new Ajv({
    allErrors: true,
    strict: false,
    verbose: true,
    validateSchema: false,
    meta: false,
    code: { optimize: false },
  })
  for (const [name, validate] of Object.entries(FORMATS)) ajv.addFormat(name, { validate })
  return ajv
}

let compiler: Ajv | undefined

/** The problems that a value has with a schema, each with its field and the rule that it breaks. */
export type Validator = (value: unknown) => readonly FieldProblem[]

const NONE: readonly FieldProblem[] = []

/** The schema is read at its first use, and compiled for the first value that may not fit it. */
export function validator(schema: TSchema): Validator {
  let accept: ReturnType<typeof accepts> | undefined
  let check: ValidateFunction | undefined
  return value => {
    accept ??= accepts(schema)
    if (accept(value)) return NONE
    compiler ??= newCompiler()
    check ??= compiler.compile(schema)
    return check(value) ? NONE : problemsOf(check.errors ?? [])
  }
}

/** A limit, so that a body with 100,000 bad members gets a short response. */
const MOST_PROBLEMS = 50

function problemsOf(errors: readonly ErrorObject[]): readonly FieldProblem[] {
  const problems = new Map<string, FieldProblem>()
  for (const error of errors) {
    const field = fieldOf(error)
    // Several rules may fail for one field; the first one is enough.
    if (!problems.has(field)) problems.set(field, { field, message: ruleOf(error) })
    if (problems.size === MOST_PROBLEMS) break
  }
  // In a union, a problem inside the intended branch says more than a problem with the other branch.
  const fields = [...problems.keys()]
  return [...problems.values()].filter(({ field }) => !fields.some(other => other.startsWith(`${field}.`)))
}

function fieldOf({ instancePath, keyword, params }: ErrorObject): string {
  const path = instancePath.split('/').slice(1).map(unescapePointer)
  if (keyword === 'required') path.push(params.missingProperty)
  if (keyword === 'additionalProperties') path.push(params.additionalProperty)
  return path.join('.') || 'body'
}

const unescapePointer = (part: string) => part.replaceAll('~1', '/').replaceAll('~0', '~')

function ruleOf({ keyword, params, parentSchema, data }: ErrorObject): string {
  const also = typeof parentSchema?.description === 'string' ? ` (${parentSchema.description})` : ''
  switch (keyword) {
    case 'required':
      return 'is required'
    case 'type':
      if (Array.isArray(data) && params.type === 'string') return 'must be a string, given once'
      return `must be ${article(params.type)} ${params.type}${also}`
    case 'pattern':
      if (params.pattern === NOT_BLANK) return 'must not be blank'
      return `must match ${params.pattern}${also}`
    case 'minLength':
      return params.limit === 1 ? 'must not be empty' : `must have at least ${params.limit} characters`
    case 'maxLength':
      return `must have at most ${params.limit} characters`
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}`
    case 'format':
      if (params.format === 'uri') return 'must be an absolute URL'
      return params.format === 'duration'
        ? 'must be a duration, such as 250ms, 5s, 1h30m, 7d or PT5M'
        : 'must be an RFC 3339 date-time with an offset, such as 2026-01-31T09:30:00Z or 2026-01-31T16:30:00%2B07:00'
    case 'additionalProperties':
      return `is not a known key${didYouMean(params.additionalProperty, Object.keys(parentSchema?.properties ?? {}))}`
    case 'enum':
      return `must be one of ${params.allowedValues.join(', ')}${didYouMean(data, params.allowedValues)}`
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return `must be ${params.comparison} ${params.limit}${also}`
    case 'minItems':
      return params.limit === 1 ? 'must not be empty' : `must have at least ${params.limit} entries`
    case 'maxItems':
      return `must have at most ${params.limit} entries`
    case 'anyOf':
      return `must have one of the allowed forms${also}`
    default:
      return `is not valid (${keyword} ${JSON.stringify(params)})`
  }
}

/** The pattern of a text that must not be blank. */
export const NOT_BLANK = '\\S'

const article = (type: unknown) => (/^[aeiou]/.test(String(type)) ? 'an' : 'a')

function didYouMean(given: unknown, known: readonly string[]): string {
  const meant = typeof given === 'string' && given !== '' ? closest(given, known) : undefined
  return meant === undefined ? '' : `; did you mean ${meant}?`
}

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

const TYPES: Readonly<Record<string, Accepts>> = {
  string: value => typeof value === 'string',
  boolean: value => typeof value === 'boolean',
  number: Number.isFinite,
  integer: Number.isInteger,
  null: value => value === null,
  array: Array.isArray,
  object: isRecord,
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
    !isRecord(value) || rule(Object.keys(value))
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
    if (!isRecord(value)) return true
    for (const name of required) if (value[name] === undefined) return false
    for (const name in value) if (!isFit(name, value[name])) return false
    return true
  }
}
