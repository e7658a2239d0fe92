import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { ListWindow } from '../../../contract/control/overview.ts'
import { csvLine } from '../../../contract/csv.ts'
import { countText } from '../format.ts'
import { call } from '../state/api.ts'
import type { ListCall, RowOf } from '../state/list-source.ts'
import { Button } from '../ui/button.tsx'

interface ExportListProps<R> {
  /** Of the file, without its extension. */
  readonly name: string
  /** All rows as they are filtered. */
  readonly read: (onRead: (count: number) => void) => Promise<readonly R[]>
  /** What else can be done with the whole list. */
  readonly children?: ComponentChildren
}

/** Saves the filtered list as a file. */
export function ExportList<R extends object>({ name, read, children }: ExportListProps<R>) {
  const [count, setCount] = useState<number | null>(null)
  const save = async (format: keyof typeof FORMATS) => {
    setCount(0)
    try {
      const [type, textOf] = FORMATS[format]
      download(`${name}.${format}`, type, textOf(await read(setCount)))
    } finally {
      setCount(null)
    }
  }
  return (
    <fieldset class="export">
      <legend class="unseen">The whole list</legend>
      {children}
      <Button disabled={count !== null} onPress={() => save('csv')}>
        CSV
      </Button>
      <Button disabled={count !== null} onPress={() => save('json')}>
        JSON
      </Button>
      <span class="muted" role="status">
        {count ? `${countText(count)} read…` : ''}
      </span>
    </fieldset>
  )
}

const FORMATS = {
  csv: ['text/csv', csvOf],
  json: ['application/json', rows => `${JSON.stringify(rows, null, 2)}\n`],
} satisfies Record<string, readonly [type: string, textOf: (rows: readonly object[]) => string]>

function csvOf(rows: readonly object[]): string {
  const names = Object.keys(rows[0] ?? {})
  const values = rows.map(row =>
    Object.values(Object.assign(Object.fromEntries(names.map(name => [name])), row)),
  )
  return [names, ...values].map(csvLine).join('')
}

function download(name: string, type: string, text: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }))
  Object.assign(document.createElement('a'), { href: url, download: name }).click()
  // The browser has begun to save it when the click returns.
  window.setTimeout(() => URL.revokeObjectURL(url), 0)
}

/** The largest part that the server gives. */
const ROWS = 200

/** All rows of a list on the server, or the newest ones. Those that are added meanwhile are left out. */
export async function allRows<C extends ListCall>(
  name: C,
  account: string,
  filters: string,
  onRead: (count: number) => void,
  most = Number.POSITIVE_INFINITY,
): Promise<readonly RowOf<C>[]> {
  const rows: RowOf<C>[] = []
  let anchor: string | undefined
  let total = most
  while (rows.length < total) {
    const query = { ...Object.fromEntries(new URLSearchParams(filters)), offset: rows.length, limit: ROWS }
    const part = (await call<ListCall>(name, {
      params: { account },
      query: { ...query, ...(anchor === undefined ? {} : { anchor }) },
    })) as ListWindow<RowOf<C>>
    if (part.data.length === 0) break
    rows.push(...part.data)
    total = Math.min(part.total, most)
    anchor = part.anchor
    onRead(rows.length)
  }
  return rows
}
