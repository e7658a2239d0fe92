import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Recovery } from '../../src/engine/account/recovery.ts'
import { UnavailableError } from '../../src/engine/store/store-errors.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function recovery() {
  const steps = {
    rollBack: vi.fn(async () => {}),
    tryWriting: vi.fn(async () => {}),
    resume: vi.fn(),
  }
  return { steps, of: new Recovery(steps) }
}
function withResolvers() {
  let reject: (cause: Error) => void = () => {}
  const promise = new Promise<void>((_, refuse) => {
    reject = refuse
  })
  return { promise, reject }
}
const noSpace = () => Promise.reject(new Error('ENOSPC'))

describe('after a write that failed', () => {
  test('resets the world first, then tries the disk, then continues work', async () => {
    const { steps, of } = recovery()
    expect(of.underWay).toBe(false)
    of.begin()
    expect([of.underWay, steps.rollBack.mock.calls.length]).toEqual([true, 1])
    expect(await of.tryAgain()).toBe(true)
    expect(of.underWay).toBe(false)
    const [went] = steps.rollBack.mock.invocationCallOrder
    const [tried] = steps.tryWriting.mock.invocationCallOrder
    const [resumed] = steps.resume.mock.invocationCallOrder
    expect([went, tried, resumed]).toEqual([went, tried, resumed].toSorted((a = 0, b = 0) => a - b))
  })

  test('tries the disk every second without any request until a write works', async () => {
    const { steps, of } = recovery()
    steps.tryWriting.mockImplementationOnce(noSpace).mockImplementationOnce(noSpace)
    of.begin()
    await vi.advanceTimersByTimeAsync(999)
    expect(steps.tryWriting).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(2001)
    expect(steps.tryWriting).toHaveBeenCalledTimes(3)
    expect([of.underWay, steps.resume.mock.calls.length]).toEqual([false, 1])
    await vi.advanceTimersByTimeAsync(60_000)
    expect(steps.tryWriting).toHaveBeenCalledTimes(3)
  })

  test('many callers at once cause one try', async () => {
    const { steps, of } = recovery()
    steps.tryWriting.mockImplementationOnce(noSpace)
    of.begin()
    const answers = await Promise.all(Array.from({ length: 50 }, () => of.tryAgain()))
    expect(new Set(answers)).toEqual(new Set([false]))
    expect(steps.tryWriting).toHaveBeenCalledTimes(1)
    expect(of.underWay).toBe(true)
    of.stop()
  })

  test('a caller during a failing try gets another one, because the disk may work by then', async () => {
    const { steps, of } = recovery()
    const { promise: failing, reject } = withResolvers()
    steps.tryWriting.mockImplementationOnce(() => failing)
    of.begin()
    const first = of.tryAgain()
    await expect.poll(() => steps.tryWriting.mock.calls.length).toBe(1)
    const others = Array.from({ length: 50 }, () => of.tryAgain())
    reject(new Error('ENOSPC'))
    expect(await first).toBe(false)
    expect(new Set(await Promise.all(others))).toEqual(new Set([true]))
    expect(steps.tryWriting).toHaveBeenCalledTimes(2)
    expect(steps.resume).toHaveBeenCalledTimes(1)
  })

  test('retries a failed read for waiting callers, once for all of them', async () => {
    const { steps, of } = recovery()
    steps.rollBack.mockImplementationOnce(noSpace)
    of.begin()
    await Promise.all(Array.from({ length: 5 }, () => of.atSafeWorld()))
    expect(steps.rollBack).toHaveBeenCalledTimes(2)
    of.stop()
  })

  test('reports a system error as unavailable', async () => {
    const { steps, of } = recovery()
    const refused = Object.assign(new Error('EIO'), { code: 'EIO', syscall: 'open' })
    steps.rollBack.mockRejectedValue(refused)
    of.begin()
    await expect(of.atSafeWorld()).rejects.toBeInstanceOf(UnavailableError)
    of.stop()
  })

  test('a second failure starts over', async () => {
    const { steps, of } = recovery()
    for (let time = 1; time <= 2; time++) {
      of.begin()
      expect(await of.tryAgain()).toBe(true)
      expect(steps.rollBack).toHaveBeenCalledTimes(time)
    }
    expect(steps.resume).toHaveBeenCalledTimes(2)
  })

  test('stops trying after stop()', async () => {
    const { steps, of } = recovery()
    of.begin()
    of.stop()
    await vi.advanceTimersByTimeAsync(60_000)
    expect(steps.tryWriting).not.toHaveBeenCalled()
  })

  test('retries the rollback too', async () => {
    const { steps, of } = recovery()
    steps.rollBack.mockImplementationOnce(() => Promise.reject(new Error('EIO')))
    of.begin()
    await vi.advanceTimersByTimeAsync(10_000)
    of.stop()
    expect(of.underWay).toBe(false)
  })
})
