import { fitWidths, GAP, type Giving } from './column-widths.ts'
import { cutTo } from './cut.ts'
import type { Screen } from './screen.ts'
import { visible } from './visible.ts'

/** Methods, not properties, so that a table of payouts is a table of anything: bodies come unchecked in any case. */
export interface Column<Row = unknown> extends Giving {
  readonly header: string
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

/** A table whose columns are measured once: rows that come later are cut to them. */
export interface RuledTable {
  readonly header: string
  line(row: unknown): string
}

export function drawTable<Row>(rows: readonly Row[], table: Table<Row>, screen: Screen): string {
  if (rows.length === 0) return screen.paint.dim(table.empty)
  const { header, line } = ruleTable(rows, table, screen)
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
  const shown = columns
    .map((column, index) => ({ column, width: widths[index] ?? 0 }))
    .filter(({ width }) => width > 0)
  const place = (column: Column, width: number, text: string, paint: (shown: string) => string) => {
    const textWidth = screen.widthOf(text)
    const fits = textWidth <= width
    const kept = fits ? text : cutTo(text, width, screen.widthOf)
    // Blanks stay unpainted, and the end of a line free of them.
    const blanks = ' '.repeat(width - (fits ? textWidth : screen.widthOf(kept)))
    return column.align === 'right' ? blanks + paint(kept) : paint(kept) + blanks
  }
  const between = ' '.repeat(GAP)
  return {
    header: shown
      .map(({ column, width }) => place(column, width, visible(column.header), screen.paint.dim))
      .join(between)
      .trimEnd(),
    line: row =>
      shown
        .map(({ column, width }) =>
          place(column, width, cell(column, row, screen), kept => column.paint?.(kept, row, screen) ?? kept),
        )
        .join(between)
        .trimEnd(),
  }
}

const cell = (column: Column, row: unknown, screen: Screen) => visible(column.value(row, screen))
