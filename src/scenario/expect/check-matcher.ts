import { closest } from '../../contract/closest.ts'
import type { Path } from '../load/path.ts'
import type { Problems } from '../load/problems.ts'
import { OPERATORS } from './operators.ts'

/** A literal in an expectation: its path in the value, and its path in the file. */
export type Visit = (subject: string, literal: string, path: Path) => void

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
