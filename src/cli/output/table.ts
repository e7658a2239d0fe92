import { fitWidths, GAP, type Giving } from './column-widths.ts'
import { cutTo } from './cut.ts'
import { drawRecord } from './record.ts'
import type { Screen } from './screen.ts'
import { visible } from './visible.ts'

/** Methods, not properties, so that a table of payouts is a table of anything: bodies come unchecked in any case. */
export interface Column<Row = unknown> extends Giving {
  readonly header: string
  /** The member that it shows, as csv and --columns name it; without one it is made of several. */
  readonly path?: string
  /** As it comes: what a terminal would act on is taken out of it here. */
  value(row: Row, screen: Screen): string
  readonly align?: 'left' | 'right'
  /** Paints what is left of the value after cutting. */
  paint?(shown: string, row: Row, screen: Screen): string
}

export interface Table<Row = unknown> {
  readonly columns: readonly Column<Row>[]
  /** Said in place of a table without rows. */
  readonly empty: string
}

/** A table whose columns are measured once: rows that come later are fitted to them. */
export interface RuledTable {
  /** Undefined where the rows are blocks of lines, which name their values themselves. */
  readonly header: string | undefined
  line(row: unknown): string
  /** Headers of the columns that the screen has no room for. */
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
    // Not by spreading: a page may have more rows than a call takes arguments.
    const widest = sample.reduce<number>(
      (most, row) => Math.max(most, screen.widthOf(cell(column, row, screen))),
      0,
    )
    // A column in which nothing stands is left out.
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
  // What is kept whole may come wider than the rows that were measured: it moves its line, and is not cut.
  const fits = textWidth <= width || column.whole || (column.give ?? 0) === 0
  const kept = fits ? text : cutTo(text, width, screen.widthOf)
  // Blanks stay unpainted, and the end of a line free of them.
  const blanks = ' '.repeat(Math.max(0, width - (fits ? textWidth : screen.widthOf(kept))))
  return column.align === 'right' ? blanks + paint(kept) : paint(kept) + blanks
}

/** Where not even what must stay whole has room beside each other, each row is a record: all of it, line below line. */
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
