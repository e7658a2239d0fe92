import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Turn, Turns } from '../../src/explore/turns.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Asks for so many turns, and lists those that were given. */
function ask(turns: Turns, count: number): Turn[] {
  const given: Turn[] = []
  for (let nth = 0; nth < count; nth++) void turns.take().then(turn => given.push(turn))
  return given
}
/** A second passes: every run that does nothing waits by now. */
const pass = () => vi.advanceTimersByTimeAsync(1000)

test('as many runs work at a time as there are jobs, and each that ends makes room for one', async () => {
  const given = ask(new Turns(2), 4)
  await vi.advanceTimersByTimeAsync(10)
  expect(given).toHaveLength(2)
  given[0]?.end()
  await vi.advanceTimersByTimeAsync(0)
  expect(given).toHaveLength(3)
})

test('a run that only waits makes room, and one that works again does not', async () => {
  const given = ask(new Turns(2), 9)
  await pass()
  expect(given).toHaveLength(4)
  for (const turn of given) turn.stir()
  await vi.advanceTimersByTimeAsync(10)
  for (const turn of given.slice(0, 2)) turn.end()
  await vi.advanceTimersByTimeAsync(10)
  expect(given, 'two are still at work').toHaveLength(4)
  given[2]?.end()
  await vi.advanceTimersByTimeAsync(0)
  expect(given).toHaveLength(5)
})

test('not more than a few times as many are under way, however long they wait', async () => {
  const turns = new Turns(2)
  const given = ask(turns, 20)
  for (let nth = 0; nth < 20; nth++) await pass()
  expect(given).toHaveLength(turns.most)
  given[0]?.end()
  await pass()
  expect(given).toHaveLength(turns.most + 1)
})

test('fewer are under way where each process serves several runs, because a new one costs more than it saves', async () => {
  const given = ask(new Turns(2, 'shared'), 20)
  for (let nth = 0; nth < 20; nth++) await pass()
  expect(given).toHaveLength(6)
})

test('one job is one run at a time, even if it waits', async () => {
  const given = ask(new Turns(1), 2)
  for (let nth = 0; nth < 20; nth++) await pass()
  expect(given).toHaveLength(1)
  given[0]?.end()
  await pass()
  expect(given).toHaveLength(2)
})

test('what an application does of its own accord after a run has ended belongs to no turn', async () => {
  const given = ask(new Turns(2), 6)
  await vi.advanceTimersByTimeAsync(10)
  for (const turn of given.slice(0, 2)) {
    turn.end()
    turn.stir()
  }
  await vi.advanceTimersByTimeAsync(10)
  expect(given).toHaveLength(4)
})
