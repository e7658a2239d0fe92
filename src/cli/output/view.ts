import { plain } from './members.ts'
import { drawRecord, restFields, sections } from './record.ts'
import type { Screen } from './screen.ts'
import { anyTable, drawTable, type Table } from './table.ts'
import { shownLabel, visible, visibleLines } from './text.ts'

/** How the body of an answer is shown. */
export interface View<T> {
  /** For people, without a final newline. */
  readonly human: (body: T, screen: Screen) => string | Promise<string>
  /** The records of a list, for jsonl, csv and `--query` on each. A body that is one record has none. */
  readonly rows?: (body: T) => readonly unknown[]
  /** How people see those records. Absent if the list is drawn as more than one table. */
  readonly table?: Table
  /** The columns of csv, as dotted paths. Without them, the flattened members of the first row. */
  readonly csv?: readonly string[]
  /** Known members that csv leaves out. If given, csv also has a column for each unknown member. */
  readonly csvLeavesOut?: readonly string[]
  /** Members that a record may lack: `--query` reads them as null instead of reporting a mistake. */
  readonly mayLack?: readonly string[]
}

/** A view of a list, whose records can be shown page by page. */
export type ListView<T> = View<T> & { readonly rows: NonNullable<View<T>['rows']> }

/** For a call whose answer has no body: the confirmation is not data, so it goes to stderr. */
export const doneView = (done: string): View<void> => ({
  human() {
    process.stderr.write(`${visible(done)}\n`)
    return ''
  },
})

/** Any answer: its lists as tables, the rest as fields. */
export function drawAny(body: unknown, screen: Screen): string {
  if (Array.isArray(body)) return drawTable(body, anyTable(body), screen)
  if (typeof body !== 'object' || body === null) return visibleLines(plain(body))
  const lists = Object.entries(body).filter(([, member]) => isTable(member)) as [string, unknown[]][]
  const names = lists.map(([name]) => name)
  const tables = lists.map(([name, list]) => {
    const table = drawTable(list, anyTable(list), screen)
    // The usual list of an answer needs no title.
    return name === 'data' ? table : `${screen.paint.bold(shownLabel(name))}\n${table}`
  })
  return sections(...tables, drawRecord(restFields(body, names), screen))
}

const isTable = (member: unknown) =>
  Array.isArray(member) && member.some(row => typeof row === 'object' && row !== null)
