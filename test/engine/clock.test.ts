import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { AccountClock } from '../../src/engine/time/clock.ts'
import { RealTime } from '../../src/engine/time/real-time.ts'

/** A wall whose time is told to it. */
function clockOn(wallAt = 1_000_000) {
  const wall = { at: wallAt }
  const elapsed = { ms: 0 }
  const time = new RealTime({ wall: () => wall.at, monotonic: () => elapsed.ms })
  return { wall, elapsed, clock: new AccountClock(time, null) }
}

describe('an account clock', () => {
  test('follows the wall clock by default', () => {
    const { wall, clock } = clockOn()
    wall.at += 1234
    expect(clock.now()).toBe(1_001_234)
  })

  test('stands still while it is virtual, and can jump', () => {
    const { wall, clock } = clockOn()
    clock.follow(clock.change({ mode: 'virtual' }))
    wall.at += 5000
    expect(clock.now()).toBe(1_000_000)
    clock.jump(1_000_500)
    expect(clock.now()).toBe(1_000_500)
    expect(clock.waitFor(1_000_600)).toBeUndefined()
  })

  test.each([
    [1, 1000, 1000],
    [60, 60_000, 1000],
    [0.5, 500, 1000],
    [1000, 1_000_000, 1000],
  ])('at rate %d is %i ms further after a second, and waits accordingly', (rate, passed, wait) => {
    const { wall, clock } = clockOn()
    clock.follow(clock.change({ mode: 'real', rate }))
    expect(clock.waitFor(clock.now() + passed)).toBe(wait)
    wall.at += 1000
    expect(clock.now()).toBe(1_000_000 + passed)
    expect(clock.waitFor(clock.now())).toBe(0)
    expect(clock.waitFor(clock.now() - 1)).toBe(0)
  })

  test('follows the wall clock again when it turns real, unless it ran ahead', () => {
    const { wall, clock } = clockOn()
    clock.follow(clock.change({ mode: 'virtual' }))
    wall.at += 7000
    clock.follow(clock.change({ mode: 'real' }))
    expect(clock.now()).toBe(1_007_000)
    clock.follow(clock.change({ mode: 'virtual', at: 2_000_000 }))
    clock.follow(clock.change({ mode: 'real' }))
    expect(clock.now()).toBe(2_000_000)
    wall.at += 1
    expect(clock.now()).toBe(2_000_001)
  })

  test.each([1, 60, 0.5])('continues by elapsed time while the wall clock is behind, at rate %d', rate => {
    const { wall, elapsed, clock } = clockOn()
    clock.follow(clock.change({ mode: 'real', rate }))
    wall.at -= 5_000_000
    for (let looks = 0; looks < 2000; looks++) {
      elapsed.ms += 0.5
      clock.now()
    }
    expect(clock.now()).toBe(1_000_000 + 1000 * rate)
    expect(clock.waitFor(1_000_000 + 1500 * rate)).toBe(500)
    wall.at += 5_000_000 + 2000
    expect(clock.now()).toBe(1_000_000 + 2000 * rate)
  })

  test('continues from a given time', () => {
    const { wall, elapsed, clock } = clockOn()
    clock.continueFrom(1_500_000)
    elapsed.ms += 10
    expect(clock.now()).toBe(1_500_010)
    clock.follow(null)
    expect(clock.now()).toBe(1_500_010)
    clock.continueFrom(1_400_000)
    wall.at += 600_000
    expect(clock.now()).toBe(1_600_000)
  })

  test('never runs backwards, whatever changes on it or on the wall clock', () => {
    const changes = fc.array(
      fc.oneof(
        fc.record({ pass: fc.integer({ min: -100_000, max: 100_000 }) }),
        fc.record({ elapse: fc.double({ min: 0, max: 100_000, noNaN: true }) }),
        fc.record({ rate: fc.constantFrom(0.001, 0.5, 1, 60, 1_000_000) }),
        fc.record({ stand: fc.constant(true) }),
        fc.record({ jump: fc.nat(1_000_000) }),
      ),
      { maxLength: 30 },
    )
    fc.assert(
      fc.property(changes, given => {
        const { wall, elapsed, clock } = clockOn()
        let last = clock.now()
        for (const change of given) {
          if ('pass' in change) wall.at += change.pass
          if ('elapse' in change) elapsed.ms += change.elapse
          if ('rate' in change) clock.follow(clock.change({ mode: 'real', rate: change.rate }))
          if ('stand' in change) clock.follow(clock.change({ mode: 'virtual' }))
          if ('jump' in change && clock.mode === 'virtual') clock.jump(clock.now() + change.jump)
          expect(clock.now()).toBeGreaterThanOrEqual(last)
          last = clock.now()
        }
      }),
    )
  })

  test('never waits too briefly', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(0.3, 1, 7, 60, 999),
        fc.integer({ min: 1, max: 10_000_000 }),
        (rate, later) => {
          const { wall, clock } = clockOn()
          clock.follow(clock.change({ mode: 'real', rate }))
          const target = clock.now() + later
          wall.at += clock.waitFor(target) ?? 0
          expect(clock.now()).toBeGreaterThanOrEqual(target)
        },
      ),
    )
  })
})
