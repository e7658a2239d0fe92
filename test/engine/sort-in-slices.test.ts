import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sortInSlices } from '../../src/engine/checkpoint/layer-index.ts'

interface Item {
  readonly key: number
  readonly nth: number
}
const byKey = (a: Item, b: Item) => a.key - b.key

test('many items are sorted like in a plain sort, and equal ones keep their order', async () => {
  const sizes = fc.constantFrom(0, 1, 8191, 8192, 8193, 20_000, 50_001)
  await fc.assert(
    fc.asyncProperty(sizes, fc.integer({ min: 1, max: 100_000 }), fc.nat(), async (size, keys, seed) => {
      const items = Array.from({ length: size }, (_, nth) => ({ key: (nth * 7919 + seed) % keys, nth }))
      expect(await sortInSlices([...items], byKey)).toEqual(items.sort(byKey))
    }),
    { numRuns: 10 },
  )
})

test('other work runs meanwhile', async () => {
  let turns = 0
  const counting = setInterval(() => turns++, 0)
  const items = Array.from({ length: 200_000 }, (_, nth) => ({ key: (nth * 7919) % 1_000_003, nth }))
  await sortInSlices(items, byKey)
  clearInterval(counting)
  expect(turns).toBeGreaterThan(1)
})
