import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Timer } from '../../src/domain/timers.ts'
import { AccountClock } from '../../src/engine/time/clock.ts'
import { Firing, Pacer } from '../../src/engine/time/pacer.ts'
import { RealTime } from '../../src/engine/time/real-time.ts'
import { SteadyTime } from '../support/engine/steady-time.ts'

const DAY = 24 * 3_600_000
const timerAt = (dueAt: number): Timer => ({
  id: 'x',
  dueAt,
  ordinal: 1,
  command: { type: 'AttemptDelivery', delivery: 'dlv_1' },
})

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function pacer() {
  const clock = new AccountClock(new SteadyTime(), null)
  const wake = vi.fn()
  return { clock, wake, pacer: new Pacer(clock, wake), start: Date.now() }
}

describe('a running account', () => {
  test('is woken when its next timer is due, and not before', () => {
    const { pacer: of, wake, start } = pacer()
    of.watch(timerAt(start + 5000))
    vi.advanceTimersByTime(4999)
    expect(wake).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(wake).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(DAY)
    expect(wake).toHaveBeenCalledTimes(1)
  })

  test('wakes at once for an overdue timer', () => {
    const { pacer: of, wake, start } = pacer()
    of.watch(timerAt(start - 1))
    vi.advanceTimersByTime(0)
    expect(wake).toHaveBeenCalledTimes(1)
  })

  test('follows its next timer: an earlier one, a later one, none', () => {
    const { pacer: of, wake, start } = pacer()
    of.watch(timerAt(start + 5000))
    of.watch(timerAt(start + 1000))
    vi.advanceTimersByTime(1000)
    expect(wake).toHaveBeenCalledTimes(1)
    of.watch(timerAt(start + 5000))
    of.watch(timerAt(start + 9000))
    vi.advanceTimersByTime(7999)
    expect(wake).toHaveBeenCalledTimes(1)
    of.watch(undefined)
    vi.advanceTimersByTime(DAY)
    expect(wake).toHaveBeenCalledTimes(1)
  })

  test('sets one wake-up per timer', () => {
    const { pacer: of, wake, start } = pacer()
    of.watch(timerAt(start + 5000))
    const timers = vi.getTimerCount()
    for (let time = 0; time < 100; time++) of.watch(timerAt(start + 5000))
    expect(vi.getTimerCount()).toBe(timers)
    vi.advanceTimersByTime(5000)
    expect(wake).toHaveBeenCalledTimes(1)
  })

  test('may wake early when the wait is too long for one timeout, and then waits again', () => {
    const { pacer: of, wake, start } = pacer()
    wake.mockImplementation(() => of.watch(timerAt(start + 60 * DAY)))
    of.watch(timerAt(start + 60 * DAY))
    vi.advanceTimersByTime(60 * DAY - 1)
    expect(wake.mock.calls.length).toBeLessThan(4)
    const early = wake.mock.calls.length
    vi.advanceTimersByTime(1)
    expect(wake).toHaveBeenCalledTimes(early + 1)
  })

  test('wakes soon after the wall clock jumps, and not while time only passes', () => {
    const wall = { ahead: 0 }
    const time = new RealTime({ wall: () => Date.now() + wall.ahead, monotonic: Date.now })
    const wake = vi.fn()
    const of = new Pacer(new AccountClock(time, null), wake)
    of.watch(timerAt(Date.now() + 2 * DAY))
    vi.advanceTimersByTime(60_000)
    expect(wake).not.toHaveBeenCalled()
    wall.ahead = DAY
    vi.advanceTimersByTime(1000)
    expect(wake).toHaveBeenCalledTimes(1)
  })

  test('sleeps when it is stopped', () => {
    const { pacer: of, wake, start } = pacer()
    of.watch(timerAt(start + 5000))
    of.stop()
    vi.advanceTimersByTime(DAY)
    expect([wake.mock.calls.length, vi.getTimerCount()]).toEqual([0, 0])
  })
})

test('an account with a virtual clock never wakes', () => {
  const { pacer: of, clock, wake, start } = pacer()
  clock.follow(clock.change({ mode: 'virtual' }))
  of.watch(timerAt(start + 5000))
  expect(vi.getTimerCount()).toBe(0)
  vi.advanceTimersByTime(DAY)
  expect(wake).not.toHaveBeenCalled()
})

test('a timer that cannot be read throws at no one who only wakes, but at everyone who waits, until it can', async () => {
  vi.useRealTimers()
  let left = 3
  let isDamaged = true
  const onDone = vi.fn()
  const firing = new Firing({
    isDue: () => left > 0,
    fireNext: () => {
      if (isDamaged && left === 2) throw new Error('damaged')
      left--
    },
    onDone,
  })
  for (const _ of [1, 2]) {
    firing.begin()
    await expect(firing.rest).rejects.toThrow('damaged')
    expect([left, firing.rest, onDone.mock.calls.length]).toEqual([2, undefined, 0])
  }
  isDamaged = false
  firing.begin()
  await firing.rest
  expect([left, onDone.mock.calls.length]).toEqual([0, 1])
})
