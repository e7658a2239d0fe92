import type { TSchema } from '@sinclair/typebox'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { closest } from './closest.ts'
import { parseDuration } from './durations.ts'
import type { FieldProblem } from './errors.ts'
import { parseTimestamp } from './timestamps.ts'

// The schemas are ours, and sound by their types: nothing checks them. Code is not optimised before V8 does it, which
// took half of each first use.
const ajv = new Ajv({
  allErrors: true,
  strict: false,
  verbose: true,
  validateSchema: false,
  meta: false,
  code: { optimize: false },
})
ajv.addFormat('duration', { validate: (text: string) => parseDuration(text) !== undefined })
ajv.addFormat('uri', { validate: /^[a-z][a-z\d+.-]*:[^\s]+$/i })
ajv.addFormat('date-time', { validate: (text: string) => parseTimestamp(text) !== undefined })

/** Which faults a value has against a schema: none, or each with the field and the rule it broke. */
export type Validator = (value: unknown) => readonly FieldProblem[]

const NONE: readonly FieldProblem[] = []

/** The schema is compiled at its first use, so that a start does not pay for what is never asked. */
export function validator(schema: TSchema): Validator {
  let check: ValidateFunction | undefined
  return value => {
    check ??= ajv.compile(schema)
    return check(value) ? NONE : problemsOf(check.errors ?? [])
  }
}

/** Fewer than the caller may cause: a body of 100,000 bad members gets a message, not a novel. */
const MOST_PROBLEMS = 50

function problemsOf(errors: readonly ErrorObject[]): readonly FieldProblem[] {
  const problems = new Map<string, FieldProblem>()
  for (const error of errors) {
    const field = fieldOf(error)
    // Several rules may fail on one field: the first says enough.
    if (!problems.has(field)) problems.set(field, { field, message: ruleOf(error) })
    if (problems.size === MOST_PROBLEMS) break
  }
  // Where one branch of a union was meant, what is wrong inside it says more than that the other branch was not.
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

/** The pattern of a text that must hold more than blanks. */
export const NOT_BLANK = '\\S'

const article = (type: unknown) => (/^[aeiou]/.test(String(type)) ? 'an' : 'a')

function didYouMean(given: unknown, known: readonly string[]): string {
  const meant = typeof given === 'string' && given !== '' ? closest(given, known) : undefined
  return meant === undefined ? '' : `; did you mean ${meant}?`
}
