import { parseTimestamp } from '../../contract/timestamps.ts'
import { ABSENT, type Compare, read } from './value.ts'

/** An operator such as `$like`. */
export interface Operator {
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
