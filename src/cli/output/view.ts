import type { Screen } from './screen.ts'
import type { Table } from './table.ts'

/** How a body is shown. */
export interface View<T> {
  /** For people, without a final newline. */
  readonly human: (body: T, screen: Screen) => string | Promise<string>
  /** The records of a list, for jsonl and csv and for `--query` on each; absent where the body is one record. */
  readonly rows?: (body: T) => readonly unknown[]
  /** How people see those records; absent where a list is more than one table. */
  readonly table?: Table
  /** The columns of csv, as dotted paths; without them, the members of the first row, flattened. */
  readonly csv?: readonly string[]
  /** Members that are known and left out of csv. Where they are told, csv has a column for what nobody here knows. */
  readonly csvLeavesOut?: readonly string[]
  /** Names that a record may go without, for one reason or another: `--query` reads them as null, and as no mistake. */
  readonly mayLack?: readonly string[]
}
