import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hashOf, inHashOrder } from '../../src/engine/checkpoint/layer-index.ts'

const sorted = (hashes: readonly number[]) =>
  hashes.map((hash, entry) => ({ hash, entry })).sort((a, b) => a.hash - b.hash || a.entry - b.entry)

test('hashes are sorted like in a plain sort, and equal ones stay in the order of their entries', async () => {
  const sizes = fc.constantFrom(0, 1, 2, 17, 16_384, 16_385, 40_000)
  await fc.assert(
    fc.asyncProperty(sizes, fc.integer({ min: 1, max: 50_000 }), fc.integer(), async (size, texts, seed) => {
      const hashes = Array.from({ length: size }, (_, nth) => hashOf(`text ${(nth * 7919) % texts}`, seed))
      const { hash, entry } = await inHashOrder(Float64Array.from(hashes))
      expect(Array.from(hash, (value, nth) => ({ hash: value, entry: entry[nth] }))).toEqual(sorted(hashes))
    }),
    { numRuns: 20 },
  )
})

test('hashes that are close together are sorted too', async () => {
  const hashes = Array.from({ length: 1000 }, (_, nth) => (nth * 7919) % 10)
  const { entry } = await inHashOrder(Float64Array.from(hashes))
  expect([...entry]).toEqual(sorted(hashes).map(each => each.entry))
})

test('other work runs meanwhile', async () => {
  let turns = 0
  const counting = setInterval(() => turns++, 0)
  await inHashOrder(Float64Array.from({ length: 200_000 }, (_, nth) => hashOf(`text ${nth % 1000}`, 1)))
  clearInterval(counting)
  expect(turns).toBeGreaterThan(1)
})
