import type { ComponentChildren } from 'preact'
import { Scrollable } from './scrollable.tsx'

export interface Column<R> {
  readonly title: string
  readonly cell: (row: R) => ComponentChildren
  readonly align?: 'end'
  /** The accessible name. */
  readonly hiddenTitle?: boolean
}

interface TableProps<R> {
  readonly caption: string
  readonly columns: readonly Column<R>[]
  readonly rows: readonly R[]
  readonly keyOf: (row: R) => string
}

/** A table that is short enough to show completely. */
export function Table<R>({ caption, columns, rows, keyOf }: TableProps<R>) {
  return (
    <Scrollable kind="table" label={`${caption}, as a table`}>
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            {columns.map(({ title, align, hiddenTitle }) => (
              <th key={title} scope="col" class={align}>
                {hiddenTitle ? <span class="unseen">{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <tr key={keyOf(row)}>
              {columns.map(({ title, cell, align, hiddenTitle }) => (
                <td key={title} class={align} data-title={hiddenTitle ? '' : title}>
                  {cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Scrollable>
  )
}
