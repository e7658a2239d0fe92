import fc from 'fast-check'
import { expect, test } from 'vitest'
import { bucketsOf, quantile, valuesIn } from '../../src/server/control/overview.ts'

const KINDS = ['a', 'b']
const points = fc.array(
  fc.record({ at: fc.integer({ min: 0, max: 4e12 }), kind: fc.constantFrom(...KINDS) }),
  { minLength: 1, maxLength: 60 },
)

test('no points give no buckets', () => {
  expect(bucketsOf(KINDS, [], 0)).toBeNull()
})

test('every point is counted once, in few buckets, from the first to the last moment', () => {
  fc.assert(
    fc.property(points, fc.nat(1e9), (all, more) => {
      const until = Math.max(...all.map(({ at }) => at)) + more
      const buckets = bucketsOf(KINDS, all, until)
      if (!buckets) throw new Error('no buckets')
      const counts = KINDS.map(kind => (buckets.series[kind] ?? []).reduce((sum, count) => sum + count, 0))
      expect(counts).toEqual(KINDS.map(kind => all.filter(it => it.kind === kind).length))
      const length = buckets.series.a?.length ?? 0
      expect(length).toBeLessThanOrEqual(50)
      const from = Date.parse(buckets.from)
      expect(from).toBeLessThanOrEqual(Math.min(...all.map(({ at }) => at)))
      expect(from + length * buckets.width_ms).toBeGreaterThan(until)
      const placed = valuesIn(
        buckets,
        all.map(({ at }) => ({ at, value: 1 })),
      )
      expect(placed.flat()).toHaveLength(all.length)
    }),
  )
})

test.each([
  [[], 0.5, null],
  [[3], 0.95, 3],
  [[9, 1, 5], 0.5, 5],
  [Array.from({ length: 100 }, (_, at) => at), 0.95, 95],
])('of %j, the quantile %d is %j', (values, share, expected) => {
  expect(quantile(values, share)).toBe(expected)
})
