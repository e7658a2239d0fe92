import type { ListBody } from '../../../client/control-caller.ts'
import type { Column } from '../../output/columns.ts'
import { memberAt, plain } from '../../output/members.ts'
import { formatMoney } from '../../output/money.ts'
import { paintStatus } from '../../output/status.ts'
import { drawTable } from '../../output/table.ts'
import { showTime } from '../../output/time.ts'
import type { ListView, View } from '../../output/view.ts'

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

/** A secret, hidden but for its last four characters unless it is to be revealed. */
export function secretText(secret: string | null | undefined, reveal: boolean): string {
  if (!secret || reveal) return secret ?? ''
  return secret.replace(/^((?:[a-z]+_)*).*?(.{4})$/, '$1…$2')
}

export const keyColumns = (reveal = false): Column[] => [
  memberColumn('public key', 'public_key'),
  memberColumn('secret key', 'secret_key', {
    value: row => secretText((row as { secret_key: string | null }).secret_key, reveal),
  }),
]

/** Checkout modes, or "both" or "none". */
export function modesText(modes: readonly string[]): string {
  return modes.length === 2 ? 'both' : modes.join(', ') || 'none'
}

/** Why something fails, instead of the standard reason. */
export const FAILURE_MESSAGE = {
  '--message <text>': { about: 'reason for people to read', to: 'body.failure_message' },
} as const
export const FAILURE = {
  '--code <code>': { about: 'failure_code, such as insufficient_funds', to: 'body.failure_code' },
  ...FAILURE_MESSAGE,
} as const
