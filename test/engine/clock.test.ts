import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { AccountClock } from '../../src/engine/clock.ts'

/** A wall whose time is told to it. */
function clockOn(wallAt = 1_000_000) {
  const wall = { at: wallAt }
  return { wall, clock: new AccountClock(() => wall.at, null) }
}

describe('an account clock', () => {
  it('goes with the wall until told otherwise', () => {
    const { wall, clock } = clockOn()
    wall.at += 1234
    expect(clock.now()).toBe(1_001_234)
  })

  it('stands while it is virtual, and moves by jumps', () => {
    const { wall, clock } = clockOn()
    clock.follow(clock.change({ mode: 'virtual' }))
    wall.at += 5000
    expect(clock.now()).toBe(1_000_000)
    clock.jump(1_000_500)
    expect(clock.now()).toBe(1_000_500)
    expect(clock.waitFor(1_000_600)).toBeUndefined()
  })

  it.each([
    [1, 1000, 1000],
    [60, 60_000, 1000],
    [0.5, 500, 1000],
    [1000, 1_000_000, 1000],
  ])('at rate %d is %i ms further after a second, and waits as long', (rate, passed, wait) => {
    const { wall, clock } = clockOn()
    clock.follow(clock.change({ mode: 'real', rate }))
    expect(clock.waitFor(clock.now() + passed)).toBe(wait)
    wall.at += 1000
    expect(clock.now()).toBe(1_000_000 + passed)
    expect(clock.waitFor(clock.now())).toBe(0)
    expect(clock.waitFor(clock.now() - 1)).toBe(0)
  })

  it('that turns real follows the wall again, unless it ran ahead', () => {
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

  it('never runs backwards, however it is changed, while the wall does not', () => {
    const changes = fc.array(
      fc.oneof(
        fc.record({ pass: fc.nat(100_000) }),
        fc.record({ rate: fc.constantFrom(0.001, 0.5, 1, 60, 1_000_000) }),
        fc.record({ stand: fc.constant(true) }),
        fc.record({ jump: fc.nat(1_000_000) }),
      ),
      { maxLength: 30 },
    )
    fc.assert(
      fc.property(changes, given => {
        const { wall, clock } = clockOn()
        let last = clock.now()
        for (const change of given) {
          if ('pass' in change) wall.at += change.pass
          if ('rate' in change) clock.follow(clock.change({ mode: 'real', rate: change.rate }))
          if ('stand' in change) clock.follow(clock.change({ mode: 'virtual' }))
          if ('jump' in change && clock.mode === 'virtual') clock.jump(clock.now() + change.jump)
          expect(clock.now()).toBeGreaterThanOrEqual(last)
          last = clock.now()
        }
      }),
    )
  })

  it('waits no less than it takes', () => {
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
