import { anyTable, type Choosable, type Column, fitWidths, GAP, type Table } from './columns.ts'
import type { Sheet } from './formats.ts'
import { drawRecord } from './record.ts'
import type { Screen } from './screen.ts'
import { cutTo, visible } from './text.ts'

/** A table whose columns are measured once. Later rows are fitted to them. */
export interface RuledTable {
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
    return widest === 0 ? 0 : Math.max(widest, screen.widthOf(visible(column.header)))
  })
  const widths = fitWidths(columns, wanted, screen.width)
  if (widths === undefined) return stacked(columns, screen)
  const shown = columns
    .map((column, index) => ({ column, width: widths[index] ?? 0 }))
    .filter(({ width }) => width > 0)
  const between = ' '.repeat(GAP)
  return {
    header: shown
      .map(({ column, width }) => placed(column, width, visible(column.header), screen.paint.dim, screen))
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

const cell = (column: Column, row: unknown, screen: Screen) => visible(column.value(row, screen))

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
