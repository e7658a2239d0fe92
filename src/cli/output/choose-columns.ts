import { closest } from '../../contract/closest.ts'
import { UsageError } from '../errors/cli-errors.ts'
import type { Column, Table } from './columns.ts'
import { flatten, plain, valueAt, withDecimals } from './members.ts'

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
export interface Choosable {
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
