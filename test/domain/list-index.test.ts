import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { FROM_THE_TOP, ListIndex, type Position, PositionsByWord } from '../../src/domain/list-index.ts'

const COLOURS = ['red', 'green', 'blue']
const SIZES = ['big', 'small']
const facets = fc.tuple(fc.constantFrom(...COLOURS), fc.constantFrom(...SIZES))

/** Records with few different times, so that many share one; some move to other facets afterwards. */
const records = fc.array(
  fc.record({ at: fc.integer({ min: -3, max: 3 }), facets, moved: fc.option(facets) }),
  {
    maxLength: 60,
  },
)
const positions = fc.option(fc.record({ at: fc.integer({ min: -4, max: 4 }), ordinal: fc.nat(61) }), {
  nil: FROM_THE_TOP,
})
const isBelow = (a: Position, b: Position) => a.at < b.at || (a.at === b.at && a.ordinal < b.ordinal)
const newestFirst = <P extends Position>(places: readonly P[]) =>
  places.toSorted((a, b) => (isBelow(a, b) ? 1 : -1))

describe('a list', () => {
  test('agrees with filtering and sorting, from any position, under any filter', () => {
    const filters = fc.tuple(fc.subarray(COLOURS), fc.subarray(SIZES))
    fc.assert(
      fc.property(records, filters, positions, (given, [colours, sizes], position) => {
        const list = new ListIndex()
        const kept = given.map(({ at, facets, moved }, nth) => {
          const place = { id: `r${nth}`, at, ordinal: nth + 1 }
          list.add(place, facets)
          if (moved) {
            list.remove(place, facets)
            list.add(place, moved)
          }
          return { place, facets: moved ?? facets }
        })
        const matches = ([colour = '', size = '']: readonly string[]) =>
          colours.includes(colour) && sizes.includes(size)
        const fitting = kept.filter(({ facets }) => matches(facets)).map(({ place }) => place)
        const expected = newestFirst(fitting.filter(place => isBelow(place, position)))
        expect([...list.below(position, matches)]).toEqual(expected)
        expect(list.count(matches)).toBe(fitting.length)
      }),
    )
  })

  test('is read only as far as needed: a page does not walk the whole list', () => {
    const list = new ListIndex<Position & { id: string }>()
    for (let at = 1; at <= 20_000; at++) list.add({ id: `r${at}`, at, ordinal: at }, [COLOURS[at % 3] ?? ''])
    const seen = new Set<string>()
    const iterator = list.below(FROM_THE_TOP, ([colour = '']) => seen.add(colour).size > 0)
    expect([iterator.next().value?.id, iterator.next().value?.id]).toEqual(['r20000', 'r19999'])
    expect(seen.size).toBe(3)
  })

  test('is empty without records', () => {
    expect([...new ListIndex().below(FROM_THE_TOP, () => true)]).toEqual([])
    expect(new ListIndex().count(() => true)).toBe(0)
  })

  test('lists a record once, even when it moves to the same place', () => {
    const list = new ListIndex()
    const place = { id: 'r', at: 1, ordinal: 1 }
    list.add(place, ['red'])
    list.remove(place, ['red'])
    list.add(place, ['red'])
    expect([...list.below(FROM_THE_TOP, () => true)]).toEqual([place])
  })
})

test('an index of words agrees with filtering and sorting', () => {
  const words = fc.array(
    fc.record({ word: fc.constantFrom('a', 'b', '', '__proto__', 'constructor'), at: fc.nat(3) }),
    { maxLength: 30 },
  )
  fc.assert(
    fc.property(words, positions, (given, position) => {
      const index = new PositionsByWord()
      const kept = given.map(({ word, at }, nth) => {
        const place = { id: `r${nth}`, at, ordinal: nth + 1 }
        index.add(word, place)
        return { word, place }
      })
      for (const word of ['a', 'b', '', '__proto__', 'constructor', 'toString']) {
        const places = kept.filter(each => each.word === word).map(({ place }) => place)
        const expected = newestFirst(places.filter(place => isBelow(place, position)))
        expect([...index.below(position, word)]).toEqual(expected)
      }
    }),
  )
})
