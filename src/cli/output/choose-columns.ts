import { closest } from '../../contract/closest.ts'
import { UsageError } from '../errors/cli-errors.ts'
import { flatten, valueAt, withDecimals } from './flatten.ts'
import { plain } from './plain.ts'
import type { Column, Table } from './table.ts'

/** What `--columns` chooses from: the columns of the table, and the members of the records. */
export interface Choosable {
  readonly table?: Table | undefined
  readonly csv?: readonly string[] | undefined
}

/** A column as it is written on the command line. */
const nameOf = ({ header }: Column): string => header.toLowerCase().replaceAll(' ', '_')

/** The columns of a table that are named, in that order: its own, or one for a member. */
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
      (members.includes(name) ? memberColumn(name) : refuse(name, [...own.map(nameOf), ...members], rows)),
  )
  // Chosen columns are all wanted: where they have no room beside each other, they stand below each other.
  return {
    columns: columns.map(column => ({ ...column, give: 0 })),
    empty: table?.empty ?? 'nothing there',
  }
}

/** The paths of csv columns that are named: members, or what the table's columns show. */
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
        `--columns ${name} is made of several members, and csv has members: ${members.join(', ')}`,
      )
    refuse(name, [...own.flatMap(each => (each.path === undefined ? [] : [nameOf(each)])), ...members], rows)
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

/** Where there are no records, one of this server's own may be meant: then only a slip is refused. */
function refuse(name: string, known: readonly string[], rows: readonly unknown[]): Column {
  const all = [...new Set(known)]
  const meant = closest(name, all)
  if (rows.length === 0 && meant === undefined) return memberColumn(name)
  const hint = meant === undefined ? '' : ` Did you mean ${meant}?`
  throw new UsageError(`--columns ${name}: there is no such column.${hint} There are ${all.join(', ')}.`)
}
