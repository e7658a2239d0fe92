import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Column, drawTable, ruleTable } from '../../../src/cli/output/table.ts'
import { visible } from '../../../src/cli/output/text.ts'
import { widthOf } from '../../../src/cli/output/width-of.ts'
import { screenOf } from '../../support/cli/screen-of.ts'

const word = fc.oneof(
  fc.string({ maxLength: 30 }),
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc
    .array(fc.constantFrom('น้ำ', 'ผู้', '日本', '👩‍👩‍👧', 'é', 'a', ' ', '\u001b[2J', '\n'), { maxLength: 20 })
    .map(it => it.join('')),
)
const column = fc.record(
  {
    header: fc.oneof(fc.string({ minLength: 1, maxLength: 12 }), fc.constant('\u001b[2J')),
    align: fc.constantFrom('left' as const, 'right' as const),
    give: fc.nat(5),
    least: fc.integer({ min: 1, max: 12 }),
  },
  { requiredKeys: ['header'] },
)
const sheet = fc.array(column, { minLength: 1, maxLength: 7 }).chain(columns =>
  fc.record({
    columns: fc.constant(
      columns.map((it, index): Column<string[]> => ({ ...it, value: row => row[index] ?? '' })),
    ),
    rows: fc.array(fc.array(word, { minLength: columns.length, maxLength: columns.length }), {
      minLength: 1,
      maxLength: 8,
    }),
    width: fc.integer({ min: 1, max: 140 }),
  }),
)

test('no table is wider than the screen or prints control characters', () => {
  fc.assert(
    fc.property(sheet, ({ columns, rows, width }) => {
      const { header, line } = ruleTable(rows, { columns, empty: '' }, screenOf(width))
      if (header !== undefined)
        for (const drawn of [header, ...rows.map(line)]) expect(widthOf(drawn)).toBeLessThanOrEqual(width)
      for (const drawn of rows.flatMap(row => line(row).split('\n'))) expect(drawn).not.toMatch(/\p{Cc}/u)
    }),
  )
})

test('a value that must stay whole is whole on every screen; without room, rows become blocks', () => {
  fc.assert(
    fc.property(sheet, ({ columns, rows, width }) => {
      const { line } = ruleTable(rows, { columns, empty: '' }, screenOf(width))
      for (const row of rows)
        for (const { give = 0, value } of columns)
          if (give === 0) expect(line(row)).toContain(visible(value(row, screenOf(width))).trimEnd())
    }),
  )
})

test('columns start at the same position in each line', () => {
  const cells = fc.array(fc.constantFrom('น้ำ', 'ผู้รับชำระเงิน', '日本', '👩‍👩‍👧', '🇹🇭', 'é', 'abc'), {
    maxLength: 3,
  })
  fc.assert(
    fc.property(
      fc.array(cells, { minLength: 1, maxLength: 8 }),
      fc.integer({ min: 12, max: 80 }),
      (rows, width) => {
        const columns: Column<string[]>[] = [
          { header: 'FIRST', value: row => row.join(' '), give: 1, least: 5 },
          { header: 'SECOND', value: () => '|' },
        ]
        const lines = drawTable(rows, { columns, empty: '' }, screenOf(width)).split('\n').slice(1)
        const places = lines.map(line => widthOf(line.slice(0, line.lastIndexOf('|'))))
        expect(new Set(places).size).toBe(1)
      },
    ),
  )
})

const COLUMNS: Column<readonly string[]>[] = [
  { header: 'ID', value: ([id = '']) => id },
  { header: 'AMOUNT', value: ([, amount = '']) => amount, align: 'right' },
  { header: 'NAME', value: ([, , name = '']) => name, give: 1, least: 6 },
  { header: 'NOTE', value: ([, , , note = '']) => note, give: 2, least: 6 },
]
const ROWS = [
  ['po_1', '1,000.00 THB', 'สมชาย ใจดี', 'the whole of it'],
  ['po_22', '5.00 THB', 'Somchai', 'half'],
]
const drawn = (width: number) => drawTable(ROWS, { columns: COLUMNS, empty: 'none' }, screenOf(width))

test('the most flexible column is narrowed first, then left out; then the next one', async () => {
  await expect(drawn(60)).toMatchFileSnapshot('snapshots/table-60.txt')
  await expect(drawn(42)).toMatchFileSnapshot('snapshots/table-42.txt')
  await expect(drawn(34)).toMatchFileSnapshot('snapshots/table-34.txt')
  await expect(drawn(20)).toMatchFileSnapshot('snapshots/table-20.txt')
})

test('leaves out an empty column', () => {
  const rows = ROWS.map(row => row.with(2, ''))
  expect(drawTable(rows, { columns: COLUMNS, empty: '' }, screenOf(80))).not.toContain('NAME')
})

test('a table without rows prints a message', () => {
  expect(drawTable([], { columns: COLUMNS, empty: 'none' }, screenOf(80))).toBe('none')
})

test('later rows fit the columns of the first ones, but a whole value moves its line', () => {
  const { line } = ruleTable(ROWS, { columns: COLUMNS, empty: '' }, screenOf(80))
  expect(line(['po_333', '1.00 THB', 'Wilhelmina Slater', ''])).toBe('po_333      1.00 THB  Wilhelmi…')
})

test('a whole column is left out rather than narrowed, and columns left out are named', () => {
  const columns = COLUMNS.map((column, at) => (at === 3 ? { ...column, whole: true } : column))
  const dropped: string[] = []
  const onDropped = (headers: readonly string[]) => dropped.push(...headers)
  const drawn = drawTable(ROWS, { columns, empty: '' }, { ...screenOf(42), onDropped })
  expect(drawn).not.toContain('NOTE')
  expect(dropped).toEqual(['NOTE'])
})

test('a shortened value is painted according to its whole value', () => {
  const columns: Column<string>[] = [
    { header: 'STATUS', value: row => row, give: 1, least: 5, paint: (shown, row) => `<${row}:${shown}>` },
  ]
  expect(drawTable(['succeeded'], { columns, empty: '' }, screenOf(5))).toContain('<succeeded:succ…>')
})
