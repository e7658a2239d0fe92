import type { TSchema } from '@sinclair/typebox'
import { closest } from './closest.ts'
import { parseDuration } from './durations.ts'
import type { FieldProblem } from './errors.ts'
import { isRecord } from './json.ts'
import { NOT_BLANK, patternWords } from './pattern-words.ts'
import { parseTimestamp } from './timestamps.ts'

/** The problems that a value has with a schema, each with its field and the rule that it breaks. */
export type Validator = (value: unknown) => readonly FieldProblem[]

const NONE: readonly FieldProblem[] = []

/** The schema is read at its first use. */
export const validator =
  (schema: TSchema): Validator =>
  value =>
    accepts(schema)(value) ? NONE : problemsOf(brokenRules(schema, value, []))

/** A limit, so that a body with 100,000 bad members gets a short response. */
const MOST_PROBLEMS = 50

function problemsOf(broken: Iterable<BrokenRule>): readonly FieldProblem[] {
  const problems = new Map<string, FieldProblem>()
  for (const { path, message } of broken) {
    const field = path.join('.') || 'body'
    // Several rules may fail for one field; the first one is enough.
    if (!problems.has(field)) problems.set(field, { field, message })
    if (problems.size === MOST_PROBLEMS) break
  }
  // In a union, a problem inside the intended branch says more than a problem with the other branch.
  const fields = [...problems.keys()]
  return [...problems.values()].filter(({ field }) => !fields.some(other => other.startsWith(`${field}.`)))
}

interface BrokenRule {
  readonly path: readonly string[]
  readonly message: string
}

function* brokenRules(schema: TSchema, value: unknown, path: readonly string[]): Generator<BrokenRule> {
  if (accepts(schema)(value)) return
  for (const keyword of KEYWORDS) {
    if (schema[keyword] === undefined) continue
    const within = BROKEN_WITHIN[keyword]
    if (within) yield* within(schema, value, path)
    else if (!RULES[keyword]?.(schema)?.(value)) yield { path, message: messageOf(keyword, schema, value) }
  }
}

/** In this order they are looked at, so that the first problem of a field is the one to mend first. */
const KEYWORDS = [
  ...['type', 'maximum', 'minimum', 'exclusiveMinimum', 'maxLength', 'minLength', 'pattern', 'format'],
  ...['const', 'enum', 'anyOf', 'minItems', 'uniqueItems', 'items', 'maxProperties'],
  ...['required', 'additionalProperties', 'properties', 'patternProperties'],
]

type BrokenWithin = (schema: TSchema, value: unknown, path: readonly string[]) => Iterable<BrokenRule>

/** What is wrong with the members, the entries, or the forms of a value. */
const BROKEN_WITHIN: Readonly<Record<string, BrokenWithin>> = {
  anyOf: function* (schema, value, path) {
    const forms: readonly TSchema[] = schema.anyOf
    if (forms.some(form => accepts(form)(value))) return
    const message = namesOrList(forms, value)
    if (message !== undefined) yield { path, message }
    for (const form of forms) yield* brokenRules(form, value, path)
    yield { path, message: messageOf('anyOf', schema, value) }
  },
  items: function* ({ items }, list, path) {
    if (!Array.isArray(list)) return
    for (const [nth, entry] of list.entries()) yield* brokenRules(items, entry, [...path, String(nth)])
  },
  required: function* ({ required }, record, path) {
    if (!isRecord(record)) return
    for (const name of required)
      if (record[name] === undefined) yield { path: [...path, name], message: 'is required' }
  },
  additionalProperties: function* (
    { additionalProperties, properties = {}, patternProperties = {} },
    record,
    path,
  ) {
    if (additionalProperties === true || !isRecord(record)) return
    const patterns = Object.keys(patternProperties).map(pattern => new RegExp(pattern, 'u'))
    for (const name of Object.keys(record)) {
      if (Object.hasOwn(properties, name) || patterns.some(pattern => pattern.test(name))) continue
      const message = `is not a known key${didYouMean(name, Object.keys(properties))}`
      yield { path: [...path, name], message }
    }
  },
  properties: function* ({ properties }, record, path) {
    if (!isRecord(record)) return
    for (const [name, part] of Object.entries<TSchema>(properties))
      if (record[name] !== undefined) yield* brokenRules(part, record[name], [...path, name])
  },
  patternProperties: function* ({ patternProperties }, record, path) {
    if (!isRecord(record)) return
    for (const [pattern, part] of Object.entries<TSchema>(patternProperties)) {
      const expression = new RegExp(pattern, 'u')
      for (const [name, member] of Object.entries(record))
        if (expression.test(name)) yield* brokenRules(part, member, [...path, name])
    }
  },
}

/** For a name that is wrong where names are possible and a list of others: all of them. */
function namesOrList(forms: readonly TSchema[], value: unknown): string | undefined {
  const names: readonly string[] = forms.flatMap(form => form.enum ?? [])
  const listed: readonly string[] = forms.flatMap(({ items }) => items?.enum ?? [])
  if (typeof value !== 'string' || names.length === 0 || listed.length === 0) return undefined
  return `must be ${names.join(', ')}, or a list of ${listed.join(', ')}${didYouMean(value, [...names, ...listed])}`
}

const COMPARISONS: Readonly<Record<string, string>> = {
  minimum: '>=',
  maximum: '<=',
  exclusiveMinimum: '>',
}

function messageOf(keyword: string, schema: TSchema, value: unknown): string {
  const limit = schema[keyword]
  const also = schema.description === undefined ? '' : ` (${schema.description})`
  switch (keyword) {
    case 'type':
      if (Array.isArray(value) && limit === 'string') return 'must be a string, given once'
      return `must be ${article(limit)} ${limit}${also}`
    case 'pattern':
      if (limit === NOT_BLANK) return 'must not be blank'
      return `must be ${patternWords(limit) ?? schema.description ?? 'in another form'}`
    case 'minLength':
      return limit === 1 ? 'must not be empty' : `must have at least ${limit} characters`
    case 'maxLength':
      return `must have at most ${limit} characters`
    case 'const':
      return `must be ${JSON.stringify(limit)}`
    case 'format':
      if (limit === 'uri') return 'must be an absolute URL'
      return limit === 'duration'
        ? 'must be a duration, such as 250ms, 5s, 1h30m, 7d or PT5M'
        : 'must be an RFC 3339 date-time with an offset, such as 2026-01-31T09:30:00Z or 2026-01-31T16:30:00%2B07:00'
    case 'enum':
      return `must be one of ${limit.join(', ')}${didYouMean(value, limit)}`
    case 'minItems':
      return limit === 1 ? 'must not be empty' : `must have at least ${limit} entries`
    case 'uniqueItems':
      return 'must not have an entry twice'
    case 'maxProperties':
      return `must have at most ${limit} keys`
    case 'anyOf':
      return `must have one of the allowed forms${also}`
    default:
      return `must be ${COMPARISONS[keyword]} ${limit}${also}`
  }
}

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
 * Whether a value fits a schema. Almost every value does, and this is known at once. A compiler of schemas would take longer
 * to load and to start than most commands take, and TypeBox's own check does not know schemas that are plain JSON.
 */
function accepts(schema: TSchema): Accepts {
  let check = checks.get(schema)
  if (!check) {
    check = readRules(schema)
    checks.set(schema, check)
  }
  return check
}

const checks = new WeakMap<TSchema, Accepts>()

function readRules(schema: TSchema): Accepts {
  const rules: Accepts[] = []
  for (const keyword of Object.keys(schema)) {
    if (SILENT.has(keyword)) continue
    const rule = RULES[keyword]?.(schema)
    if (!rule) throw new Error(`A schema has a rule that is not known: ${keyword}`)
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
  minItems: ({ minItems }) => ofList(list => list.length >= minItems),
  uniqueItems: () => ofList(list => list.every(isPrimitive) && new Set(list).size === list.length),
  items: ({ items }) => {
    const item = accepts(items)
    return ofList(list => list.every(item))
  },
  maxProperties: ({ maxProperties }) => ofMembers(names => names.length <= maxProperties),
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
  const isFit = (name: string, value: unknown) => {
    const rule = named.get(name)
    let isKnown = rule !== undefined
    if (rule && value !== undefined && !rule(value)) return false
    for (const [pattern, accept] of patterns) {
      if (!pattern.test(name)) continue
      isKnown = true
      if (!accept(value)) return false
    }
    return isKnown || additionalProperties === true
  }
  return value => {
    if (!isRecord(value)) return true
    for (const name of required) if (value[name] === undefined) return false
    for (const name in value) if (!isFit(name, value[name])) return false
    return true
  }
}
