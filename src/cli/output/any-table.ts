import { flatten } from './flatten.ts'
import { plain } from './plain.ts'
import type { Column, Table } from './table.ts'

/** A table of whatever the rows are: the columns named, else the members they have. The first ones stay the longest. */
export function anyTable(rows: readonly unknown[], named?: readonly string[]): Table {
  const paths = named ?? [...new Set(rows.flatMap(row => [...flatten(row).keys()]))]
  const members = membersOf()
  const columns = paths.map(
    (path, index): Column => ({
      header: path || 'value',
      value: row => plain(members(row).get(path)),
      give: index,
      least: 16,
    }),
  )
  return { columns, empty: 'nothing there' }
}

/** The members of a row, which is asked for one column after the other. */
function membersOf() {
  let last: { readonly row: unknown; readonly members: ReadonlyMap<string, unknown> } | undefined
  return (row: unknown) => {
    if (last === undefined || last.row !== row) last = { row, members: flatten(row) }
    return last.members
  }
}
