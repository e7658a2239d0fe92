import { closest } from '../../contract/closest.ts'
import { UsageError } from '../errors/cli-errors.ts'
import type { Sheet } from './formats.ts'
import { flatten, plain, valueAt, withDecimals } from './members.ts'
import { drawRecord } from './record.ts'
import type { Screen } from './screen.ts'
import { cutTo, shownLabel, shownValue, visible } from './text.ts'

/** How a column behaves on a screen too narrow for all columns. */
interface Flexibility {
  /** Columns with the highest number are narrowed and left out first. A column without it always stays. */
  readonly give?: number
  /** The column is narrowed to this width before it is left out; 8 by default. */
  readonly least?: number
  /** Shown in full or not at all: an amount, an id or a time means something else when it is cut. */
  readonly whole?: boolean
}

/** `value` and `paint` are methods, not properties, so that a table of payouts also fits where any table is expected. */
export interface Column<Row = unknown> extends Flexibility {
  readonly header: string
  /** The member it shows, as csv and --columns name it. A column made of several members has none. */
  readonly path?: string
  /** The raw text: control characters are escaped when it is drawn. */
  value(row: Row, screen: Screen): string
  readonly align?: 'left' | 'right'
  /** Paints what is left of the value after cutting. */
  paint?(shown: string, row: Row, screen: Screen): string
}

export interface Table<Row = unknown> {
  readonly columns: readonly Column<Row>[]
  /** Shown instead of a table without rows. */
  readonly empty: string
}

/** Blanks between two columns. */
export const GAP = 2
/** A column narrower than this says nothing. */
const LEAST = 8

/**
 * The width of each column, 0 for one that is left out. Columns are narrowed first and then left out one by one, those
 * that give most before the others. Columns that always stay are never cut: undefined if they do not fit side by side.
 */
function fitWidths(
  columns: readonly Flexibility[],
  wanted: readonly number[],
  screenWidth: number,
): number[] | undefined {
  const flexible = columns
    .map(({ give = 0 }, index) => ({ give, index }))
    .filter(({ give }) => give > 0)
    .sort((a, b) => b.give - a.give || b.index - a.index)
  const leastOf = (index: number) => {
    const { whole = false, least = LEAST } = columns[index] ?? {}
    const width = wanted[index] ?? 0
    return whole ? width : Math.min(width, least)
  }
  for (let left = 0; left <= flexible.length; left++) {
    const widths = wanted.map((width, index) =>
      flexible.slice(0, left).some(one => one.index === index) ? 0 : width,
    )
    const kept = flexible.slice(left).map(({ index }) => index)
    if (narrow(widths, kept, leastOf, screenWidth)) return widths
  }
  return undefined
}

/** Narrows columns in place until the line fits, and says whether it does. */
function narrow(
  widths: number[],
  flexible: readonly number[],
  leastOf: (index: number) => number,
  screenWidth: number,
): boolean {
  let excess = lineWidth(widths) - screenWidth
  for (const index of flexible) {
    if (excess <= 0) break
    const width = widths[index] ?? 0
    const given = Math.min(excess, Math.max(0, width - leastOf(index)))
    widths[index] = width - given
    excess -= given
  }
  return excess <= 0
}

function lineWidth(widths: readonly number[]): number {
  const shown = widths.filter(width => width > 0)
  return shown.reduce((sum, width) => sum + width, 0) + GAP * Math.max(0, shown.length - 1)
}

/** A table of any rows, with the given columns or else all members of the rows. The first columns stay the longest. */
export function anyTable(rows: readonly unknown[], named?: readonly string[]): Table {
  const paths = named ?? [...new Set(rows.flatMap(row => [...flatten(row).keys()]))]
  const flat = flattenOnce()
  const columns = paths.map(
    (path, index): Column => ({
      header: path || 'value',
      value: row => plain(flat(row).get(path)),
      give: index,
      least: 16,
    }),
  )
  return { columns, empty: 'nothing there' }
}

/** A table asks for the same row once for each column. */
function flattenOnce() {
  let last: { readonly row: unknown; readonly members: ReadonlyMap<string, unknown> } | undefined
  return (row: unknown) => {
    if (last === undefined || last.row !== row) last = { row, members: flatten(row) }
    return last.members
  }
}

/** What `--columns` chooses from: the columns of the table, and the members of the records. */
interface Choosable {
  readonly table?: Table | undefined
  readonly csv?: readonly string[] | undefined
}

/** A column's name on the command line. */
const nameOf = ({ header }: Column): string => header.toLowerCase().replaceAll(' ', '_')

/** The named columns in the given order: the table's own, or one made for a member. */
export function chosenTable(
  names: readonly string[],
  { table, csv }: Choosable,
  rows: readonly unknown[],
): Table {
  const own = table?.columns ?? []
  const members = membersOf(csv, rows)
  const columns = names.map(
    (name): Column =>
      own.find(column => nameOf(column) === name.toLowerCase() || column.path === name) ??
      (members.includes(name)
        ? memberColumn(name)
        : unknownColumn(name, [...own.map(nameOf), ...members], rows)),
  )
  // The user asked for all of them: if they do not fit side by side, they are shown one below the other.
  return {
    columns: columns.map(column => ({ ...column, give: 0 })),
    empty: table?.empty ?? 'nothing there',
  }
}

/** The csv paths of the named columns: members, or what the table's columns show. */
export function chosenPaths(
  names: readonly string[],
  { table, csv }: Choosable,
  rows: readonly unknown[],
): string[] {
  const own = table?.columns ?? []
  const members = membersOf(csv, rows)
  return names.map(name => {
    if (members.includes(name)) return name
    const column = own.find(column => nameOf(column) === name.toLowerCase())
    if (column?.path !== undefined) return column.path
    if (column)
      throw new UsageError(
        `--columns ${name}: this column is made of several members, and csv prints one member per column: ${members.join(', ')}`,
      )
    unknownColumn(
      name,
      [...own.flatMap(each => (each.path === undefined ? [] : [nameOf(each)])), ...members],
      rows,
    )
    return name
  })
}

const membersOf = (csv: readonly string[] = [], rows: readonly unknown[]): string[] =>
  withDecimals([...new Set([...csv, ...rows.flatMap(row => [...flatten(row).keys()])])])

const memberColumn = (path: string): Column => ({
  header: path,
  path,
  value: row => plain(valueAt(flatten(row), path)),
})

/** Without records, the name may be a member that only this server has: then only a likely typo is refused. */
function unknownColumn(name: string, known: readonly string[], rows: readonly unknown[]): Column {
  const all = [...new Set(known)]
  const meant = closest(name, all)
  if (rows.length === 0 && meant === undefined) return memberColumn(name)
  const hint = meant === undefined ? '' : `; did you mean ${meant}?`
  throw new UsageError(
    `--columns ${name}: there is no such column${hint}\nThe columns are ${all.join(', ')}.`,
  )
}

/** A table whose columns are measured once. Later rows are fitted to them. */
interface RuledTable {
  /** Undefined if each row is a block of labelled lines. */
  readonly header: string | undefined
  line(row: unknown): string
  /** Headers of the columns that do not fit on the screen. */
  readonly dropped: readonly string[]
}

export function drawTable<Row>(rows: readonly Row[], table: Table<Row>, screen: Screen): string {
  if (rows.length === 0) return screen.paint.dim(table.empty)
  const { header, line, dropped } = ruleTable(rows, table, screen)
  screen.onDropped?.(dropped)
  if (header === undefined) return rows.map(line).join('\n\n')
  return [header, ...rows.map(line)].join('\n')
}

export function ruleTable(sample: readonly unknown[], { columns }: Table, screen: Screen): RuledTable {
  const wanted = columns.map(column => {
    // Math.max(...widths) would fail, because a page may have more rows than a call can have arguments.
    const widest = sample.reduce<number>(
      (most, row) => Math.max(most, screen.widthOf(cell(column, row, screen))),
      0,
    )
    // An empty column is left out.
    return widest === 0 ? 0 : Math.max(widest, screen.widthOf(shownLabel(column.header)))
  })
  const widths = fitWidths(columns, wanted, screen.width)
  if (widths === undefined) return stacked(columns, screen)
  const shown = columns
    .map((column, index) => ({ column, width: widths[index] ?? 0 }))
    .filter(({ width }) => width > 0)
  const between = ' '.repeat(GAP)
  return {
    header: shown
      .map(({ column, width }) => placed(column, width, shownLabel(column.header), screen.paint.dim, screen))
      .join(between)
      .trimEnd(),
    line: row =>
      shown
        .map(({ column, width }) => {
          const paint = (kept: string) => column.paint?.(kept, row, screen) ?? kept
          return placed(column, width, cell(column, row, screen), paint, screen)
        })
        .join(between)
        .trimEnd(),
    dropped: columns.flatMap(({ header }, index) =>
      (wanted[index] ?? 0) > 0 && widths[index] === 0 ? [header] : [],
    ),
  }
}

function placed(
  column: Column,
  width: number,
  text: string,
  paint: (shown: string) => string,
  screen: Screen,
): string {
  const textWidth = screen.widthOf(text)
  // A whole value may be wider than the rows that were measured: it shifts its line and is not cut.
  const fits = textWidth <= width || column.whole || (column.give ?? 0) === 0
  const kept = fits ? text : cutTo(text, width, screen.widthOf)
  // Blanks stay unpainted, and a line does not end with blanks.
  const blanks = ' '.repeat(Math.max(0, width - (fits ? textWidth : screen.widthOf(kept))))
  return column.align === 'right' ? blanks + paint(kept) : paint(kept) + blanks
}

/** If even the columns that must stay do not fit side by side, each row is drawn as a record with all its values. */
function stacked(columns: readonly Column[], screen: Screen): RuledTable {
  return {
    header: undefined,
    line: row =>
      drawRecord(
        columns.flatMap(column => {
          const value = cell(column, row, screen)
          if (value === '') return []
          const isWhole = column.whole || (column.give ?? 0) === 0
          const paint = (shown: string) => column.paint?.(shown, row, screen) ?? shown
          return [{ label: column.header, value, paint, whole: isWhole }]
        }),
        screen,
      ),
    dropped: [],
  }
}

const cell = (column: Column, row: unknown, screen: Screen) =>
  column.whole ? visible(column.value(row, screen)) : shownValue(column.value(row, screen))

/** A table written page by page. The first rows decide the widths of its columns. */
export function tableSheet({ table, csv }: Choosable, screen: Screen): Sheet {
  let ruled: RuledTable | undefined
  const begin = (values: readonly unknown[]) => {
    ruled = ruleTable(values, table ?? anyTable(values, csv), screen)
    screen.onDropped?.(ruled.dropped)
    return ruled.header === undefined ? '' : `${ruled.header}\n`
  }
  return {
    rows(values) {
      if (values.length === 0) return ''
      const isFirst = ruled === undefined
      const before = isFirst ? begin(values) : ruled?.header === undefined ? '\n' : ''
      const between = ruled?.header === undefined ? '\n\n' : '\n'
      return `${before}${values.map(row => ruled?.line(row)).join(between)}\n`
    },
    end: () => (ruled ? '' : `${screen.paint.dim((table ?? anyTable([])).empty)}\n`),
  }
}
