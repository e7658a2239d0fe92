import fc from 'fast-check'
import { expect, test } from 'vitest'
import { csvFormat } from '../../../src/cli/output/printer.ts'

const written = (rows: readonly unknown[], columns?: readonly string[]) => {
  const sheet = csvFormat({ columns, valueName: 'value' }).sheet()
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

test('CSV reads back as it was written, and no cell is a formula', () => {
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

test('columns are dotted paths; null is empty, a list is JSON, a number stays as it is', () => {
  expect(written([{ id: 'a', recipient: { name: 'Å, b' }, tags: ['x'], n: -5, none: null, empty: {} }])).toBe(
    'id,recipient.name,tags,n,none,empty\r\na,"Å, b","[""x""]",-5,,\r\n',
  )
})

test('unusual member names are quoted as in a path', () => {
  expect(parse(written([{ 'a b': { 'c.d': 1 } }]))[0]).toEqual(['["a b"]["c.d"]'])
})

test('given columns stay, even if a record lacks them or there are no records', () => {
  expect(written([{ b: 1, c: 2 }], ['a', 'b'])).toBe('a,b\r\n,1\r\n')
  expect(written([], ['a', 'b'])).toBe('a,b\r\n')
  expect(written([])).toBe('')
})

test('the header comes once, with the members of the first page', () => {
  const sheet = csvFormat({ valueName: 'value' }).sheet()
  expect(sheet.rows([])).toBe('')
  expect(sheet.rows([{ a: 1 }, { b: 2 }])).toBe('a,b\r\n1,\r\n,2\r\n')
  expect(sheet.rows([{ b: 3, z: 4 }])).toBe(',3\r\n')
  expect(sheet.end()).toBe('')
})

test('adds an amount in decimals if its currency is known', () => {
  const rows = [
    { id: 'a', amount: '123450', currency: 'THB' },
    { id: 'b', amount: '5000', currency: 'VND' },
    { id: 'c', amount: '1234567', currency: 'KWD' },
    { id: 'd', amount: '250', currency: 'POINTS' },
    { id: 'e', amount: '5', currency: 'THB' },
    { id: 'f', amount: 'much', currency: 'THB' },
    { id: 'g', currency: 'THB' },
  ]
  expect(written(rows, ['id', 'amount', 'currency'])).toBe(
    'id,amount,amount_decimal,currency\r\n' +
      'a,123450,1234.50,THB\r\nb,5000,5000,VND\r\nc,1234567,1234.567,KWD\r\nd,250,,POINTS\r\n' +
      'e,5,0.05,THB\r\nf,much,,THB\r\ng,,,THB\r\n',
  )
  expect(written([{ data: { amount: '100', currency: 'THB' } }])).toBe(
    'data.amount,data.amount_decimal,data.currency\r\n100,1.00,THB\r\n',
  )
})

test('unknown members get columns after the known ones; late ones are reported once', () => {
  const late: string[][] = []
  const sheet = csvFormat({
    columns: ['id', 'recipient.name'],
    leavesOut: ['object', 'links'],
    valueName: 'value',
    onLate: paths => late.push([...paths]),
  }).sheet()
  const row = { object: 'payout', id: 1, recipient: { name: 'a', wallet_id: 'w' }, links: { self: 'x' } }
  expect(sheet.rows([row])).toBe('id,recipient.name,recipient.wallet_id\r\n1,a,w\r\n')
  expect(sheet.rows([{ ...row, note: 'n' }])).toBe('1,a,w\r\n')
  expect(sheet.rows([{ ...row, memo: 'm' }])).toBe('1,a,w\r\n')
  expect(late).toEqual([['note']])
})

test('the byte order mark comes once, before the header', () => {
  const sheet = csvFormat({ valueName: 'value', bom: true }).sheet()
  expect(sheet.rows([{ a: 1 }]) + sheet.rows([{ a: 2 }])).toBe('\ufeffa\r\n1\r\n2\r\n')
})

test('values that are not records have one column without empty lines', () => {
  expect(written(['x', null])).toBe('value\r\nx\r\n""\r\n')
})
