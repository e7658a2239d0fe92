import { closest } from '../../contract/closest.ts'
import { parseTimestamp } from '../../contract/timestamps.ts'
import type { Path, Problems } from '../load/problems.ts'

/** One difference between what was expected and what came. */
export interface Mismatch {
  /** The path of the expectation within the step. */
  readonly path: Path
  /** What was checked, such as `body.receipt.status`. */
  readonly subject: string
  readonly expected: unknown
  readonly actual: unknown
  /** An explanation, if the two values do not explain it. */
  readonly why?: string
}

export const matches: Compare = (expected, actual) => match(expected, actual, '', []).length === 0

/**
 * A plain value matches itself, a list matches item by item, an object may have more members, and `$…` is an operator.
 */
export function match(expected: unknown, actual: unknown, subject: string, path: Path): Mismatch[] {
  const miss = (why?: string): Mismatch[] => [{ path, subject, expected, actual, ...(why ? { why } : {}) }]
  if (typeof expected !== 'object' || expected === null) return Object.is(expected, actual) ? [] : miss()
  if (Array.isArray(expected)) {
    if (!Array.isArray(actual)) return miss()
    if (expected.length !== actual.length) return miss(`has ${actual.length} items, not ${expected.length}`)
    return expected.flatMap((item, at) => match(item, actual[at], `${subject}.${at}`, [...path, at]))
  }
  const isOperators = Object.keys(expected).some(key => key.startsWith('$'))
  if (!isOperators && (typeof actual !== 'object' || actual === null)) return miss()
  return Object.entries(expected).flatMap(([key, value]) => {
    const operator = key.startsWith('$') ? OPERATORS[key] : undefined
    const inside = [...path, key]
    if (!operator) return match(value, read(actual, key), subject === '' ? key : `${subject}.${key}`, inside)
    const why = operator.problem(actual, value, matches)
    return why === undefined ? [] : [{ path: inside, subject, expected: { [key]: value }, actual, why }]
  })
}

/** An operator such as `$like`. */
interface Operator {
  /** Describes a valid argument, if the given one is invalid. */
  readonly takes: (given: unknown) => string | undefined
  /** What its argument is compared with, if that is an expectation itself. */
  readonly inside?: 'same' | 'items' | 'counted'
  readonly problem: (actual: unknown, given: unknown, compare: Compare) => string | undefined
}

const is = (type: string, words: string) => (given: unknown) =>
  typeof given === type || isReference(given) ? undefined : words
const isReference = (given: unknown) => typeof given === 'string' && given.startsWith('${')
const anything = () => undefined
const list = (given: unknown) => (Array.isArray(given) ? undefined : 'a list')

export const OPERATORS: Readonly<Record<string, Operator>> = {
  $like: {
    takes: is('string', 'a string, where * is any text and ? one character'),
    problem: (actual, given) =>
      typeof actual === 'string' && glob(String(given)).test(actual) ? undefined : `does not match ${given}`,
  },
  $matches: {
    takes: given => (isPattern(given) ? undefined : 'a regular expression'),
    problem: (actual, given) =>
      typeof actual === 'string' && new RegExp(String(given), 'u').test(actual)
        ? undefined
        : `does not match ${given}`,
  },
  $present: {
    takes: is('boolean', 'true or false'),
    problem: (actual, given) => {
      if ((actual !== ABSENT) === given) return undefined
      return given ? 'is missing' : 'is present'
    },
  },
  $in: {
    takes: list,
    inside: 'same',
    problem: (actual, given, compare) =>
      (given as unknown[]).some(one => compare(one, actual)) ? undefined : 'is not one of these',
  },
  $not: {
    takes: anything,
    inside: 'same',
    problem: (actual, given, compare) => (compare(given, actual) ? 'matches, but must not' : undefined),
  },
  $length: {
    takes: anything,
    problem: (actual, given, compare) => {
      const length =
        typeof actual === 'string' ? [...actual].length : Array.isArray(actual) ? actual.length : undefined
      if (length === undefined) return 'has no length'
      return compare(given, length) ? undefined : `has length ${length}`
    },
  },
  $has: {
    takes: anything,
    inside: 'items',
    problem: (actual, given, compare) => {
      if (!Array.isArray(actual)) return 'is not a list'
      return actual.some(item => compare(given, item)) ? undefined : 'has no such item'
    },
  },
  $each: {
    takes: anything,
    inside: 'items',
    problem: (actual, given, compare) => {
      if (!Array.isArray(actual) || actual.length === 0) return 'is not a list with items'
      const at = actual.findIndex(item => !compare(given, item))
      return at < 0 ? undefined : `has a different item at ${at}`
    },
  },
  $count: {
    takes: given =>
      typeof given === 'object' && given !== null && 'of' in given && 'is' in given ? undefined : '{of, is}',
    inside: 'counted',
    problem: (actual, given, compare) => {
      if (!Array.isArray(actual)) return 'is not a list'
      const { of, is } = given as { of: unknown; is: unknown }
      const count = actual.filter(item => compare(of, item)).length
      return compare(is, count) ? undefined : `has ${count} such items`
    },
  },
  $same: {
    takes: is('string', 'a path'),
    problem: (actual, given) => {
      const values = valuesAt(actual, String(given))
      if (!values) return `has an item without ${given}`
      return new Set(values).size === 1
        ? undefined
        : `has ${new Set(values).size} different values of ${given}`
    },
  },
  $unique: {
    takes: is('string', 'a path'),
    problem: (actual, given) => {
      const values = valuesAt(actual, String(given))
      if (!values) return `has an item without ${given}`
      return new Set(values).size === values.length ? undefined : `has the same ${given} twice`
    },
  },
  $gt: ordered((order: number) => order > 0, 'greater than'),
  $gte: ordered(order => order >= 0, 'at least'),
  $lt: ordered(order => order < 0, 'less than'),
  $lte: ordered(order => order <= 0, 'at most'),
}

function isPattern(given: unknown): boolean {
  if (typeof given !== 'string') return false
  try {
    new RegExp(given, 'u')
    return true
  } catch {
    return false
  }
}

function glob(text: string): RegExp {
  const source = text.replace(/[\\^$.*+?()[\]{}|]/g, found =>
    found === '*' ? '[^]*' : found === '?' ? '[^]' : `\\${found}`,
  )
  return new RegExp(`^${source}$`, 'u')
}

function valuesAt(actual: unknown, path: string): string[] | undefined {
  if (!Array.isArray(actual) || actual.length === 0) return undefined
  const values = actual.map(item => read(item, path))
  return values.includes(ABSENT) ? undefined : values.map(value => JSON.stringify(value))
}

function ordered(holds: (order: number) => boolean, word: string): Operator {
  return {
    takes: given =>
      toOrder(given) !== undefined || isReference(given) ? undefined : 'a number, an amount or a time',
    problem: (actual, given) => {
      const [a, b] = [toOrder(actual), toOrder(given)]
      if (a === undefined || b === undefined) return `cannot be compared with ${given}`
      return holds(a < b ? -1 : a > b ? 1 : 0) ? undefined : `is not ${word} ${given}`
    },
  }
}

/** Compares amounts as integers of any length, and times as instants. */
function toOrder(value: unknown): number | bigint | undefined {
  if (typeof value === 'number') return value
  if (typeof value !== 'string') return undefined
  return /^\d+$/.test(value) ? BigInt(value) : parseTimestamp(value)
}

/** The value of a missing member; null is a present value. */
export const ABSENT = Symbol('absent')

/** Whether a value is as expected. */
type Compare = (expected: unknown, actual: unknown) => boolean

/** The value at a path such as `data.0.status`. */
export function read(value: unknown, path: string): unknown {
  let here = value
  for (const part of path.split('.')) {
    if (typeof here === 'string' || Array.isArray(here)) {
      if (part === 'length') {
        here = here.length
        continue
      }
    }
    if (typeof here !== 'object' || here === null || !Object.hasOwn(here, part)) return ABSENT
    here = (here as Record<string, unknown>)[part]
  }
  return here
}

/** A literal in an expectation: its path in the value, and its path in the file. */
type Visit = (subject: string, literal: string, path: Path) => void

/** Reports mistakes in an expectation, which might otherwise pass unnoticed. */
export function checkMatcher(
  expected: unknown,
  path: Path,
  problems: Problems,
  visit: Visit,
  subject = '',
): void {
  if (typeof expected === 'string') return visit(subject, expected, path)
  if (typeof expected !== 'object' || expected === null) return
  if (Array.isArray(expected)) {
    for (const [at, item] of expected.entries()) checkMatcher(item, [...path, at], problems, visit, subject)
    return
  }
  const keys = Object.keys(expected)
  const operators = keys.filter(key => key.startsWith('$'))
  if (operators.length > 0 && operators.length < keys.length)
    problems.say(
      [...path, operators[0] ?? ''],
      `${operators[0]} cannot be next to plain keys: put it inside one of them`,
    )
  for (const [key, value] of Object.entries(expected)) {
    const inside = [...path, key]
    if (!key.startsWith('$')) checkMatcher(value, inside, problems, visit, join(subject, key))
    else checkOperator(key, value, inside, problems, visit, subject)
  }
}

function checkOperator(
  key: string,
  value: unknown,
  path: Path,
  problems: Problems,
  visit: Visit,
  subject: string,
) {
  const operator = Object.hasOwn(OPERATORS, key) ? OPERATORS[key] : undefined
  if (!operator) {
    const meant = closest(key, Object.keys(OPERATORS))
    return problems.say(path, `${key} is not an operator${meant ? `; did you mean ${meant}?` : ''}`)
  }
  const wrong = operator.takes(value)
  if (wrong !== undefined) return problems.say(path, `${key} must be ${wrong}`)
  if (operator.inside === 'same') checkMatcher(value, path, problems, visit, subject)
  if (operator.inside === 'items') checkMatcher(value, path, problems, visit, join(subject, '*'))
  if (operator.inside === 'counted') {
    const { of, is } = value as { of: unknown; is: unknown }
    checkMatcher(of, [...path, 'of'], problems, visit, join(subject, '*'))
    checkMatcher(is, [...path, 'is'], problems, () => {})
  }
}

const join = (subject: string, key: string) => (subject === '' ? key : `${subject}.${key}`)
