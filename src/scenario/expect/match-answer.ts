import type { ReceivedAnswer } from '../../contract/wire-answer.ts'
import type { Path } from '../load/problems.ts'
import type { Scope } from '../run/scope.ts'
import type { AnswerExpectation } from '../schema/answers.ts'
import { type Mismatch, match, matches } from './match.ts'

/** Without an expectation a call must succeed, so a scenario does not continue after an unexpected refusal. */
export function matchAnswer(
  answer: ReceivedAnswer,
  expected: AnswerExpectation | undefined,
  scope: Scope,
  succeeds: (status: number) => boolean = status => status >= 200 && status < 300,
): Mismatch[] {
  const miss = (key: string, wanted: unknown, actual: unknown, why?: string): Mismatch => ({
    path: expected ? ['expect', key] : [],
    subject: key,
    expected: wanted,
    actual,
    ...(why ? { why } : {}),
  })
  if (answer.lost !== undefined)
    return expected?.lost
      ? []
      : [miss('status', expected?.status ?? 'an answer', answer.lost, 'no complete answer arrived')]
  if (expected?.lost) return [miss('lost', 'no answer', answer.status, 'an answer arrived')]
  const found: Mismatch[] = []
  const add = (key: string, wanted: unknown, actual: unknown) =>
    found.push(...match(wanted, actual, key, ['expect', key]))
  const error = problemIn(answer)
  if (expected?.status !== undefined) add('status', expected.status, answer.status)
  else if (expected?.error === undefined && !succeeds(answer.status))
    found.push(miss('status', 'success', answer.status, error.code ? `refused: ${error.code}` : undefined))
  if (expected?.error !== undefined) add('error', expected.error, error.code ?? answer.status)
  for (const field of expected?.fields ?? [])
    if (!error.fields.includes(field))
      found.push(miss('fields', field, error.fields, 'is not among the fields of the error'))
  if (expected?.headers !== undefined)
    for (const [name, wanted] of Object.entries(expected.headers))
      found.push(
        ...match({ [name.toLowerCase()]: wanted }, answer.headers, 'headers', ['expect', 'headers']).map(
          it => ({
            ...it,
            path: ['expect', 'headers', name],
          }),
        ),
      )
  if (expected?.body !== undefined) add('body', expected.body, answer.body)
  if (expected?.text !== undefined) add('text', expected.text, answer.text)
  const same = expected?.['same as']
  if (same !== undefined && scope.answer(same)?.text !== answer.text)
    found.push(miss('same as', scope.answer(same)?.text, answer.text, `differs from the answer of ${same}`))
  return found
}

/** The code and the fields of an error, in each of the shapes that the gateway can give it. */
function problemIn({ status, body }: ReceivedAnswer): { code: string | undefined; fields: string[] } {
  if (status < 400 || typeof body !== 'object' || body === null) return { code: undefined, fields: [] }
  const facts = (
    'error' in body && typeof body.error === 'object' && body.error !== null ? body.error : body
  ) as {
    code?: string
    details?: { field: string }[]
  }
  return { code: facts.code, fields: (facts.details ?? []).map(({ field }) => field) }
}

/** What is expected of a list, and which of its items an expectation covered. */
export interface ListExpectation {
  readonly exactly?: readonly unknown[]
  readonly include?: readonly unknown[]
  readonly count?: unknown
  readonly none?: unknown
  readonly 'any order'?: true
}

interface ListMatch {
  readonly mismatches: Mismatch[]
  readonly covered: ReadonlySet<unknown>
}

/** A single word means the type of an item. */
const spelled = (item: unknown, key: string) => (typeof item === 'string' ? { [key]: item } : item)

export function matchList(
  list: readonly unknown[],
  wanted: ListExpectation,
  key: string,
  subject: string,
): ListMatch {
  const covered = new Set<unknown>()
  const mismatches: Mismatch[] = []
  const anyOrder = wanted['any order'] === true
  const summary = list.map(item => (item as Record<string, unknown>)[key])
  const miss = (path: Path, expected: unknown, why: string) =>
    mismatches.push({ path, subject, expected, actual: summary, why })

  if (wanted.exactly) {
    const items = wanted.exactly.map(item => spelled(item, key))
    if (items.length !== list.length)
      miss(['exactly'], wanted.exactly, `there are ${list.length}, not ${items.length}`)
    else if (anyOrder)
      pair(items, list, covered, at => miss(['exactly', at], items[at], 'no other item matches'))
    else
      items.forEach((item, at) => {
        mismatches.push(...match(item, list[at], `${subject}.${at}`, ['exactly', at]))
        covered.add(list[at])
      })
  }
  if (wanted.include) {
    const items = wanted.include.map(item => spelled(item, key))
    if (anyOrder) pair(items, list, covered, at => miss(['include', at], items[at], 'no other item matches'))
    else
      follow(items, list, covered, at =>
        miss(
          ['include', at],
          items[at],
          at === 0 ? 'no item matches' : 'no item after the previous match matches',
        ),
      )
  }
  if (wanted.count !== undefined) {
    if (!matches(wanted.count, list.length)) miss(['count'], wanted.count, `there are ${list.length}`)
    for (const item of list) covered.add(item)
  }
  if (wanted.none !== undefined) {
    const item = wanted.none === true ? {} : spelled(wanted.none, key)
    const found = list.find(one => matches(item, one))
    if (found !== undefined) miss(['none'], wanted.none, 'an item matches')
  }
  return { mismatches, covered }
}

/** Matches each wanted item to a different item of the list. Backtracking makes the order irrelevant. */
function pair(
  items: readonly unknown[],
  list: readonly unknown[],
  covered: Set<unknown>,
  miss: (at: number) => void,
) {
  const takenBy = new Map<unknown, number>()
  const place = (at: number, seen: Set<unknown>): boolean =>
    list.some(candidate => {
      if (seen.has(candidate) || !matches(items[at], candidate)) return false
      seen.add(candidate)
      const holder = takenBy.get(candidate)
      if (holder !== undefined && !place(holder, seen)) return false
      takenBy.set(candidate, at)
      return true
    })
  items.forEach((_, at) => {
    if (!place(at, new Set())) miss(at)
  })
  for (const item of takenBy.keys()) covered.add(item)
}

function follow(
  items: readonly unknown[],
  list: readonly unknown[],
  covered: Set<unknown>,
  miss: (at: number) => void,
) {
  let from = 0
  for (const [at, item] of items.entries()) {
    const found = list.findIndex((candidate, index) => index >= from && matches(item, candidate))
    if (found < 0) return miss(at)
    covered.add(list[found])
    from = found + 1
  }
}
