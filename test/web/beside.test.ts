import fc from 'fast-check'
import { expect, test } from 'vitest'
import { besideEachOther } from '../../src/web/report/beside.ts'

const line = fc.constantFrom('a', 'b', 'c', 'd')

test('lines of two runs stand beside each other, in order, and none is lost', () => {
  fc.assert(
    fc.property(fc.array(line), fc.array(line), (one, other) => {
      const rows = besideEachOther(one, other)
      expect(rows.flatMap(row => row.one ?? [])).toEqual(one)
      expect(rows.flatMap(row => row.other ?? [])).toEqual(other)
      for (const row of rows) expect(new Set([row.one, row.other]).size).toBe(isBoth(row) ? 1 : 2)
    }),
  )
})

test('as many lines as possible are in common rows', () => {
  fc.assert(
    fc.property(fc.array(line), fc.array(line), fc.array(line), (lines, before, between) => {
      const more = [...before, ...lines.flatMap((text, nth) => [text, ...(nth % 2 ? [] : between)])]
      expect(besideEachOther(lines, more).filter(isBoth)).toHaveLength(lines.length)
    }),
  )
})

const isBoth = ({ one, other }: { one: string | undefined; other: string | undefined }) =>
  one !== undefined && other !== undefined
