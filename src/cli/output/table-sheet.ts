import { anyTable } from './any-table.ts'
import type { Screen } from './screen.ts'
import type { Sheet } from './sheet.ts'
import { type RuledTable, ruleTable, type Table } from './table.ts'

export interface TableOptions {
  readonly table?: Table | undefined
  readonly csv?: readonly string[] | undefined
}

/** A table that goes on: the rows that come first measure its columns. */
export function tableSheet({ table, csv }: TableOptions, screen: Screen): Sheet {
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
