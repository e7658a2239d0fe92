import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Plan } from '../../src/explore/explore.ts'
import { type RunSlot, RunSlots } from '../../src/explore/run-slots.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Asks for so many slots, and lists those that were given. */
function ask(slots: RunSlots, count: number): RunSlot[] {
  const given: RunSlot[] = []
  for (let nth = 0; nth < count; nth++) void slots.take().then(slot => given.push(slot))
  return given
}
/** A second passes: every run that does nothing waits by now. */
const pass = () => vi.advanceTimersByTimeAsync(1000)

test('as many runs work at a time as there are jobs, and the next starts when one ends', async () => {
  const given = ask(new RunSlots(2), 4)
  await vi.advanceTimersByTimeAsync(10)
  expect(given).toHaveLength(2)
  given[0]?.end()
  await vi.advanceTimersByTimeAsync(0)
  expect(given).toHaveLength(3)
})

test('a waiting run makes room for another, but a run that works again does not', async () => {
  const given = ask(new RunSlots(2), 9)
  await pass()
  expect(given).toHaveLength(4)
  for (const slot of given) slot.noteActivity()
  await vi.advanceTimersByTimeAsync(5)
  for (const slot of given.slice(0, 2)) slot.end()
  await vi.advanceTimersByTimeAsync(5)
  expect(given, 'two are still at work').toHaveLength(4)
  given[2]?.end()
  await vi.advanceTimersByTimeAsync(0)
  expect(given).toHaveLength(5)
})

test('the number of runs is limited, however long they wait', async () => {
  const slots = new RunSlots(2)
  const given = ask(slots, 20)
  for (let nth = 0; nth < 20; nth++) await pass()
  expect(given).toHaveLength(slots.most)
  given[0]?.end()
  await pass()
  expect(given).toHaveLength(slots.most + 1)
})

test('when each process serves several runs, more of them may wait, and some of these only for a short time', async () => {
  const slots = new RunSlots(2, 'shared')
  const given = ask(slots, 20)
  for (let nth = 0; nth < 20; nth++) await pass()
  expect(given).toHaveLength(10)
  expect(slots.mostPausing).toBe(7)
  expect(new RunSlots(1, 'shared').mostPausing).toBe(1)
})

test('with one job, one run works at a time, even if it waits', async () => {
  const given = ask(new RunSlots(1), 2)
  for (let nth = 0; nth < 20; nth++) await pass()
  expect(given).toHaveLength(1)
  given[0]?.end()
  await pass()
  expect(given).toHaveLength(2)
})

test('activity of an application after its run has ended does not count', async () => {
  const given = ask(new RunSlots(2), 6)
  await vi.advanceTimersByTimeAsync(10)
  for (const slot of given.slice(0, 2)) {
    slot.end()
    slot.noteActivity()
  }
  await vi.advanceTimersByTimeAsync(10)
  expect(given).toHaveLength(4)
})

test('runs with a long pause start first, but only so many at a time that the others go on', () => {
  const planned = (name: string) => [0, [{ kind: 'call-429', before: 0, call: name }]] as const
  const plan = new Plan(['a', 'b', 'c'].map(planned), ['x', 'y'].map(planned).values())
  const take = () => plan.take(2)
  const nameOf = (one: ReturnType<typeof take>) => one?.[1][0]?.call
  const [first, second, third] = [take(), take(), take()]
  expect([first, second, third].map(nameOf)).toEqual(['a', 'b', 'x'])
  if (first) plan.ended(first)
  if (third) plan.ended(third)
  expect([take(), take()].map(nameOf)).toEqual(['c', 'y'])
  expect(take(), 'none is left').toBeUndefined()
})

test('runs with a long pause start also if no others are left', () => {
  const planned = (name: string) => [0, [{ kind: 'call-429', before: 0, call: name }]] as const
  const plan = new Plan(['a', 'b'].map(planned), [].values())
  expect([plan.take(1), plan.take(1)].map(one => one?.[1][0]?.call)).toEqual(['a', 'b'])
})
