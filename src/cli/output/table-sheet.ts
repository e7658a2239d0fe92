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
  return {
    rows(values) {
      if (values.length === 0) return ''
      const header = ruled === undefined
      ruled ??= ruleTable(values, table ?? anyTable(values, csv), screen)
      return `${[...(header ? [ruled.header] : []), ...values.map(ruled.line)].join('\n')}\n`
    },
    end: () => (ruled ? '' : `${screen.paint.dim((table ?? anyTable([])).empty)}\n`),
  }
}
