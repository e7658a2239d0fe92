import type { Path } from '../load/path.ts'
import { OPERATORS } from './operators.ts'
import { type Compare, read } from './value.ts'

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
