import type { ListBody } from '../../client/control-caller.ts'
import { memberAt } from '../../contract/json.ts'
import { formatMoney, plain } from './members.ts'
import { type Column, drawTable } from './table.ts'
import { paintStatus } from './text.ts'
import { showTime } from './time.ts'
import type { ListView, View } from './view.ts'

/** The columns that many tables have, and views of records in these columns. */

/** A list as a table. */
export function listView<T>(
  empty: string,
  columns: readonly Column[],
  csv?: readonly string[],
): ListView<ListBody<T>> {
  const table = { columns, empty }
  return {
    human: ({ data }, screen) => drawTable(data, table, screen),
    rows: ({ data }) => data,
    table,
    ...(csv ? { csv } : {}),
  }
}

/** One record as a row of the same table. */
export const rowView = <T>(columns: readonly Column[]): View<T> => ({
  human: (record, screen) => drawTable([record], { columns, empty: '' }, screen),
})

export const memberColumn = (header: string, path: string, how: Partial<Column> = {}): Column => ({
  header,
  path,
  value: row => plain(memberAt(row, ...path.split('.'))),
  ...how,
})

export const idColumn = (header = 'id', path = 'id'): Column =>
  memberColumn(header, path, { paint: (shown, _, { paint }) => paint.bold(shown) })

export const statusColumn = (header: string, path: string, how: Partial<Column> = {}): Column =>
  memberColumn(header, path, {
    ...how,
    paint: (shown, row, { paint }) => paintStatus(memberAt(row, ...path.split('.')), paint, shown),
  })

export const timeColumn = (header: string, path: string, how: Partial<Column> = {}): Column => ({
  header,
  path,
  whole: true,
  value: (row, screen) => {
    const at = memberAt(row, ...path.split('.'))
    return at === null || at === undefined ? '' : showTime(at, screen).value
  },
  ...how,
})

export const moneyColumn = (how: Partial<Column> = {}): Column => ({
  header: 'amount',
  path: 'amount',
  whole: true,
  value: row => formatMoney(memberAt(row, 'amount'), memberAt(row, 'currency')),
  align: 'right',
  ...how,
})
