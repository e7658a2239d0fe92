import type { Column } from '../../../output/columns.ts'
import { memberAt, plain } from '../../../output/members.ts'
import { formatMoney } from '../../../output/money.ts'
import { paintStatus } from '../../../output/status.ts'
import { showTime } from '../../../output/time.ts'

/** Columns that many lists have. */

/** A member as it is; the columns with the most to give are narrowed first. */
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
