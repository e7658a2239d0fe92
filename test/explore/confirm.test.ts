import { expect, test } from 'vitest'
import { type Attempt, type Attempts, FirstTry } from '../../src/explore/attempt.ts'
import { confirm, type Finding, withoutRepetitions } from '../../src/explore/confirm.ts'
import type { PlacedDisturbance } from '../../src/explore/kinds.ts'
import type { StoryRecord } from '../../src/explore/story-record.ts'

const FAILURE = { sameAs: 'shipments', message: 'shipments is 2, not 1', expected: 1, actual: 2 }
const STORY: StoryRecord = {
  steps: [],
  webhooks: [],
  calls: [],
  returns: [],
  decisions: [],
  clicks: [],
  finalLooks: [],
  known: [],
  tookMs: 1,
}

const place = (before: number): PlacedDisturbance => ({
  kind: 'webhook-twice',
  before,
  event: 'payment.succeeded',
})

function attempt(before: number, outcome: Attempt['outcome'], isHasty: boolean, isSlow = false): Attempt {
  const failure = outcome === 'failed' ? { failure: FAILURE } : {}
  const result = {} as Attempt['result']
  return { places: [place(before)], outcome, isHasty, isSlow, ...failure, result, run: '' }
}

/** Repeats the runs with these places; those in `fails` fail each time, or so many times. */
async function confirmed(
  fresh: readonly Attempt[],
  fails: readonly number[],
  times = Number.POSITIVE_INFINITY,
) {
  const repeated: number[] = []
  const attempts = {
    async try([first]: readonly PlacedDisturbance[]) {
      const { before = 0 } = first ?? {}
      repeated.push(before)
      const isFailure = fails.includes(before) && repeated.length <= times
      return attempt(before, isFailure ? 'failed' : 'survived', false)
    },
  } as unknown as Attempts
  const settings = {
    attempts,
    story: STORY,
    firstTry: new FirstTry(STORY),
    hasTime: () => true,
    tried: fresh,
  }
  return { findings: await confirm(fresh, settings), repeated }
}

test('a failure that had all its time counts, even if it does not repeat', async () => {
  const { findings } = await confirmed([attempt(1, 'failed', false)], [])
  expect(findings).toMatchObject([{ failed: 0, of: 3 }])
})

test('a hasty failure that passes with more time does not count', async () => {
  const slow = attempt(1, 'failed', true)
  expect((await confirmed([slow], [])).findings).toEqual([])
  expect(slow.outcome).toBe('survived')
})

test.each([
  [0, 'not judged', 0],
  [1, 'not judged', 0],
  [2, 'failed', 1],
] as const)('on a slow machine a failure that repeats %i times of 3 is %s', async (times, outcome, count) => {
  const slow = attempt(1, 'failed', false, true)
  expect((await confirmed([slow], [1], times)).findings).toHaveLength(count)
  expect(slow.outcome).toBe(outcome)
})

test('a failure that was only slow does not hide another one', async () => {
  const [real, slow] = [attempt(1, 'failed', true), attempt(2, 'failed', true)]
  const { findings, repeated } = await confirmed([real, slow], [1])
  expect(repeated).toEqual([2, 2, 2, 1, 1, 1])
  expect(findings).toMatchObject([{ places: [place(1)], failed: 3, of: 3, alike: 2 }])
  expect([real.outcome, slow.outcome]).toEqual(['failed', 'survived'])
})

test('a failure that had all its time is repeated before later ones that had not', async () => {
  const { repeated } = await confirmed([attempt(1, 'failed', false), attempt(2, 'failed', true)], [1, 2])
  expect(repeated).toEqual([1, 1, 1])
})

test('only the first failure of its kind at a request waits as long as the file says', () => {
  const firstTry = new FirstTry(STORY)
  const mayGiveUp = (...places: PlacedDisturbance[]) => firstTry.patienceFor(places).mayGiveUp
  expect(mayGiveUp(place(1))('GET /orders/run-1-a')).toBe(false)
  expect(mayGiveUp(place(2))('GET /orders/run-2-a')).toBe(true)
  expect(mayGiveUp(place(2))('GET /orders/run-2-b')).toBe(false)
  expect(mayGiveUp({ kind: 'restart', before: 1 })('GET /orders/run-3-a')).toBe(false)
  expect(mayGiveUp(place(1), { kind: 'restart', before: 1 })('GET /orders/run-4-a')).toBe(false)
  expect(mayGiveUp(place(1), place(2))('GET /orders/run-5-a')).toBe(true)
})

test('a pair that one of its two causes alone is no finding of its own', async () => {
  const restart: PlacedDisturbance = { kind: 'restart', before: 9 }
  const pair = { ...attempt(1, 'failed', false), places: [restart, place(1)] }
  const { findings } = await confirmed([pair], [1])
  expect(findings).toMatchObject([{ kinds: ['webhook-twice'], places: [place(1)], failed: 3, of: 3 }])
  const single = { ...findings[0], kinds: ['webhook-twice' as const], failure: FAILURE } as Finding
  const both: Finding = { ...single, kinds: ['restart', 'webhook-twice'] }
  const other = { ...both, failure: { ...FAILURE, sameAs: 'status' } }
  expect(withoutRepetitions([single, both, other])).toEqual([{ ...single, alike: 2 }, other])
})

test('failures that are the same after reduction are one finding', async () => {
  const other = { ...FAILURE, sameAs: 'status' }
  const two = [attempt(1, 'failed', false), { ...attempt(1, 'failed' as const, false), failure: other }]
  const { findings } = await confirmed(two, [1])
  expect(findings).toMatchObject([{ places: [place(1)], failure: FAILURE, alike: 2 }])
})
