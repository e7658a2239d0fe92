import fc from 'fast-check'
import { expect, test } from 'vitest'
import { csvForm } from '../../../src/cli/output/csv.ts'

const written = (rows: readonly unknown[], columns?: readonly string[]) => {
  const sheet = csvForm({ columns, valueName: 'value' }).sheet()
  return sheet.rows(rows) + sheet.end()
}

/** As any reader of RFC 4180 does it. */
function parse(text: string): string[][] {
  const rows: string[][] = []
  let row: string[] = []
  for (const [, quoted, bare = '', end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n)/g)) {
    row.push(quoted?.replaceAll('""', '"') ?? bare)
    if (end === ',') continue
    rows.push(row)
    row = []
  }
  return rows
}

const FORMULA = /^[=+\-@\t\r\uff0b\uff0d\uff1d\uff20]/

test('what is written is what is read, and nothing read is a formula', () => {
  const names = ['a', 'b.c', 'd']
  const cell = fc.oneof(
    fc.string(),
    fc.string({ unit: fc.constantFrom('"', ',', '\r', '\n', '=', '+', '\t', ' ', 'ก') }),
  )
  fc.assert(
    fc.property(
      fc.array(fc.record({ a: cell, b: fc.record({ c: cell }), d: cell }), { minLength: 1 }),
      rows => {
        const [header, ...read] = parse(written(rows))
        expect(header).toEqual(names)
        const meant = rows.map(({ a, b, d }) => [a, b.c, d].map(it => (FORMULA.test(it) ? `'${it}` : it)))
        expect(read).toEqual(meant)
        for (const text of read.flat()) expect(text).not.toMatch(FORMULA)
      },
    ),
  )
})

test('columns are dotted paths; null is nothing, a list is JSON, a number is itself', () => {
  expect(written([{ id: 'a', recipient: { name: 'Å, b' }, tags: ['x'], n: -5, none: null, empty: {} }])).toBe(
    'id,recipient.name,tags,n,none,empty\r\na,"Å, b","[""x""]",-5,,\r\n',
  )
})

test('names that are no names of a path are quoted as in one', () => {
  expect(parse(written([{ 'a b': { 'c.d': 1 } }]))[0]).toEqual(['["a b"]["c.d"]'])
})

test('told columns stay, also where a record lacks them or there is none', () => {
  expect(written([{ b: 1, c: 2 }], ['a', 'b'])).toBe('a,b\r\n,1\r\n')
  expect(written([], ['a', 'b'])).toBe('a,b\r\n')
  expect(written([])).toBe('')
})

test('the header comes once, over the members of the first page', () => {
  const sheet = csvForm({ valueName: 'value' }).sheet()
  expect(sheet.rows([])).toBe('')
  expect(sheet.rows([{ a: 1 }, { b: 2 }])).toBe('a,b\r\n1,\r\n,2\r\n')
  expect(sheet.rows([{ b: 3, z: 4 }])).toBe(',3\r\n')
  expect(sheet.end()).toBe('')
})

test('values that are no records have one column, and no line of it is empty', () => {
  expect(written(['x', null])).toBe('value\r\nx\r\n""\r\n')
})
