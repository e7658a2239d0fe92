import type { Column } from '../../../output/columns.ts'
import { drawTable } from '../../../output/table.ts'
import type { ListView } from '../../../output/view.ts'

/** What the control surface's lists are. */
export interface Listed<T> {
  readonly data: readonly T[]
}

/** A list as a table. */
export function listView<T>(
  empty: string,
  columns: readonly Column[],
  csv?: readonly string[],
): ListView<Listed<T>> {
  const table = { columns, empty }
  return {
    human: ({ data }, screen) => drawTable(data, table, screen),
    rows: ({ data }) => data,
    table,
    ...(csv ? { csv } : {}),
  }
}
