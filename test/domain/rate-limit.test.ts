import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RateLimit } from '../../src/domain/match-limits.ts'

const limits = fc.record({
  limit: fc.integer({ min: 1, max: 5 }),
  perMs: fc.integer({ min: 1, max: 50 }),
  gaps: fc.array(fc.nat(20), { minLength: 1, maxLength: 60 }),
})

test('a rate allows as many calls in any window as its limit says, and no fewer', () => {
  fc.assert(
    fc.property(limits, ({ limit, perMs, gaps }) => {
      const rate = new RateLimit(limit, perMs)
      const allowed: number[] = []
      let now = 0
      for (const gap of gaps) {
        now += gap
        const inWindow = allowed.filter(at => at > now - perMs).length
        const isAllowed = rate.allows(now)
        expect(isAllowed).toBe(inWindow < limit)
        if (isAllowed) allowed.push(now)
      }
    }),
  )
})

test('a call is allowed when the time that it was told is over, and not before', () => {
  fc.assert(
    fc.property(limits, ({ limit, perMs, gaps }) => {
      const rate = new RateLimit(limit, perMs)
      let now = 0
      for (const gap of gaps) {
        now += gap
        if (rate.allows(now)) continue
        const waitMs = rate.freeInMs(now)
        expect(waitMs).toBeGreaterThan(0)
        expect(rate.allows(now + waitMs - 1)).toBe(false)
        now += waitMs
        expect(rate.allows(now)).toBe(true)
      }
    }),
  )
})
