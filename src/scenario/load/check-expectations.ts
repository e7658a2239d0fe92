import type { Verb } from '../schema/steps.ts'
import { checkMatcher } from './check-matcher.ts'
import { unknownWord } from './known-words.ts'
import type { Path } from './positions.ts'
import type { Reading } from './reading.ts'

const LISTS: ReadonlySet<Verb> = new Set([
  'expect webhooks',
  'expect provider calls',
  'expect history',
  'expect deliveries',
  'expect requests',
  'expect timers',
])
const OF_LISTS = ['exactly', 'include', 'count', 'none'] as const

/** Every expectation must be able to fail, and to hold. */
export function checkExpectations(
  verb: Verb,
  step: Record<string, unknown>,
  path: Path,
  reading: Reading,
): void {
  const { problems, names } = reading
  const check = (value: unknown, at: Path, words = true) =>
    checkMatcher(value, [...path, ...at], problems, (subject, literal, where) => {
      const wrong = words ? unknownWord(verb, subject, literal) : undefined
      if (wrong) problems.say(where, wrong)
    })
  const expect = step.expect as Record<string, unknown> | undefined
  if (expect) {
    if (Object.keys(expect).length === 0)
      problems.say([...path, 'expect'], 'expect says nothing of the answer')
    check(expect.status, ['expect', 'status'], false)
    check(expect.text, ['expect', 'text'], false)
    check(expect.headers, ['expect', 'headers'], false)
    check(expect.body, ['expect', 'body'], expect.error === undefined)
    const same = expect['same as']
    if (typeof same === 'string' && !names.has(same))
      problems.say([...path, 'expect', 'same as'], `${same} is no answer captured before`)
    if (expect.lost && Object.keys(expect).length > 1)
      problems.say([...path, 'expect', 'lost'], 'an answer that is lost has nothing else to expect')
  }
  if ('is' in step) check(step.is, ['is'], verb !== 'expect value')
  const until = step.until as { is: unknown } | undefined
  if (until) check(until.is, ['until', 'is'], false)
  if (!LISTS.has(verb)) return
  if (!OF_LISTS.some(key => step[key] !== undefined))
    problems.say([...path, verb], `${verb} says nothing of the list: add ${OF_LISTS.join(', ')}`)
  if (verb !== 'expect history' && step[verb] !== 'all') check(step[verb], [verb])
  for (const key of ['exactly', 'include'] as const)
    for (const [at, item] of ((step[key] as unknown[] | undefined) ?? []).entries()) check(item, [key, at])
  if (step.none !== true) check(step.none, ['none'])
  check(step.count, ['count'], false)
}
