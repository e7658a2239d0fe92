import { flatten, valueAt, withDecimals } from './flatten.ts'
import type { Form, Sheet } from './sheet.ts'

export interface CsvOptions {
  /** The columns; without them, the members of the records that come first. */
  readonly columns?: readonly string[] | undefined
  /** Members that are known and have no column. Where they are told, members that nobody knows get columns too. */
  readonly leavesOut?: readonly string[] | undefined
  /** Whether the columns were chosen: then they are all there is. */
  readonly chosen?: boolean | undefined
  /** The header over values that are no records. */
  readonly valueName: string
  /** Whether a byte order mark comes first, by which some spreadsheets know UTF-8. */
  readonly bom?: boolean | undefined
  /** Called once, with members that came too late for a column. */
  readonly onLate?: ((paths: readonly string[]) => void) | undefined
}

export function csvForm(options: CsvOptions): Form {
  return { whole: value => csvSheet(options).rows([value]), sheet: () => csvSheet(options) }
}

function csvSheet(options: CsvOptions): Sheet {
  const { columns: told, leavesOut, chosen = false, valueName, bom = false } = options
  let columns: readonly string[] | undefined
  let known = new Set<string>()
  let onLate = chosen || (told && !leavesOut) ? undefined : options.onLate
  const isLeftOut = (path: string) =>
    (leavesOut ?? []).some(name => path === name || path.startsWith(`${name}.`))
  const begin = (records: readonly ReadonlyMap<string, unknown>[]) => {
    const found = [...new Set(records.flatMap(record => [...record.keys()]))]
    const more = told && !leavesOut ? [] : found.filter(path => !told?.includes(path) && !isLeftOut(path))
    columns = chosen ? (told ?? []) : withDecimals([...(told ?? []), ...more])
    known = new Set(columns)
    return `${bom ? '\ufeff' : ''}${line(columns.map(path => path || valueName))}`
  }
  const tellLate = (records: readonly ReadonlyMap<string, unknown>[]) => {
    const late = new Set<string>()
    for (const record of records)
      for (const path of record.keys()) if (!known.has(path) && !isLeftOut(path)) late.add(path)
    if (late.size === 0) return
    onLate?.([...late])
    onLate = undefined
  }
  return {
    rows(values) {
      if (values.length === 0) return ''
      const records = values.map(flatten)
      const header = columns ? '' : begin(records)
      if (header === '' && onLate) tellLate(records)
      return header + records.map(record => line((columns ?? []).map(path => valueAt(record, path)))).join('')
    },
    end: () => (columns || !told ? '' : begin([])),
  }
}

/** As RFC 4180 has it. A line of nothing at all would be skipped by its readers: one empty field is quoted. */
function line(values: readonly unknown[]): string {
  const fields = values.map(field)
  return `${fields.length === 1 && fields[0] === '' ? '""' : fields.join(',')}\r\n`
}

function field(value: unknown): string {
  const text = typeof value === 'string' ? disarmed(value) : value == null ? '' : JSON.stringify(value)
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/**
 * A spreadsheet takes text that begins like this for a formula, and runs it: a reference, written by anyone, could send
 * the sheet away. The apostrophe makes it text. Programs that want it exact have json and jsonl.
 */
const FORMULA = /^[=+\-@\t\r\uff0b\uff0d\uff1d\uff20]/

const disarmed = (text: string) => (FORMULA.test(text) ? `'${text}` : text)
