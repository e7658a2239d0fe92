import fc from 'fast-check'
import { expect, test } from 'vitest'
import { comparePositions, FROM_THE_BOTTOM, FROM_THE_TOP } from '../../src/domain/list-index.ts'
import { KindInLayer } from '../../src/engine/checkpoint/layer.ts'
import { IndexDraft } from '../../src/engine/checkpoint/layer-index.ts'

const entries = fc.array(
  fc.record({
    at: fc.integer({ min: 0, max: 9 }),
    colour: fc.constantFrom('blue', 'red'),
    gone: fc.nat(9).map(nth => nth === 0),
  }),
  { minLength: 20, maxLength: 80, size: 'max' },
)

/** A layer's records, of which some were replaced since. */
async function layerOf(given: readonly { at: number; colour: string; gone: boolean }[]) {
  const all = given
    .map((entry, ordinal) => ({ ...entry, ordinal }))
    .sort((a, b) => a.colour.localeCompare(b.colour) || comparePositions(a, b))
  const draft = new IndexDraft(all.length, false)
  for (const { at, ordinal, colour } of all)
    draft.add({ id: ordinal, word: null, facets: [colour], at, ordinal, offset: 0, length: 0 })
  const read = () => {
    throw new Error('to count, no record is read')
  }
  const kind = new KindInLayer(await draft.finish(), { read })
  for (const [entry, { gone }] of all.entries()) if (gone) kind.supersede(entry)
  return { kind, left: all.filter(({ gone }) => !gone) }
}

test('a layer counts the records that are left, between any two positions', async () => {
  await fc.assert(
    fc.asyncProperty(entries, fc.nat(80), fc.nat(80), async (given, a, b) => {
      const { kind, left } = await layerOf(given)
      const [from, to] = [left[a] ?? FROM_THE_BOTTOM, left[b] ?? FROM_THE_TOP]
      const between = left.filter(
        entry => comparePositions(entry, from) >= 0 && comparePositions(entry, to) < 0,
      )
      expect(kind.count(() => true, from, to)).toBe(between.length)
      expect(kind.count(([colour]) => colour === 'red', from, to)).toBe(
        between.filter(({ colour }) => colour === 'red').length,
      )
      const first = left.toSorted(comparePositions)[0]
      expect(kind.first === undefined ? undefined : kind.positionOf(kind.first)).toEqual(
        first && { at: first.at, ordinal: first.ordinal },
      )
    }),
  )
})
