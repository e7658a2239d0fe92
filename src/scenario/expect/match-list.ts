import type { Path } from '../load/path.ts'
import { type Mismatch, match, matches } from './match.ts'

/** What is expected of a list, and which of its items an expectation covered. */
export interface ListExpectation {
  readonly exactly?: readonly unknown[]
  readonly include?: readonly unknown[]
  readonly count?: unknown
  readonly none?: unknown
  readonly 'any order'?: true
}

export interface ListMatch {
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
