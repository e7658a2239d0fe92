import type { Form, Sheet } from './formats.ts'
import { flatten, valueAt, withDecimals } from './members.ts'

export interface CsvOptions {
  /** The columns. Without them, the members of the first records. */
  readonly columns?: readonly string[] | undefined
  /** Known members without a column. If given, each unknown member gets a column too. */
  readonly leavesOut?: readonly string[] | undefined
  /** Whether the user chose the columns: then there are no others. */
  readonly chosen?: boolean | undefined
  /** The header above values that are not records. */
  readonly valueName: string
  /** Whether to begin with a byte order mark, by which some spreadsheets recognise UTF-8. */
  readonly bom?: boolean | undefined
  /** Called once, with members that appeared too late to get a column. */
  readonly onLate?: ((paths: readonly string[]) => void) | undefined
}

export function csvForm(options: CsvOptions): Form {
  return { whole: value => csvSheet(options).rows([value]), sheet: () => csvSheet(options) }
}

function csvSheet(options: CsvOptions): Sheet {
  const { columns: given, leavesOut, chosen = false, valueName, bom = false } = options
  let columns: readonly string[] | undefined
  let known = new Set<string>()
  let onLate = chosen || (given && !leavesOut) ? undefined : options.onLate
  const isLeftOut = (path: string) =>
    (leavesOut ?? []).some(name => path === name || path.startsWith(`${name}.`))
  const begin = (records: readonly ReadonlyMap<string, unknown>[]) => {
    const found = [...new Set(records.flatMap(record => [...record.keys()]))]
    const more = given && !leavesOut ? [] : found.filter(path => !given?.includes(path) && !isLeftOut(path))
    columns = chosen ? (given ?? []) : withDecimals([...(given ?? []), ...more])
    known = new Set(columns)
    return `${bom ? '\ufeff' : ''}${line(columns.map(path => path || valueName))}`
  }
  const reportLate = (records: readonly ReadonlyMap<string, unknown>[]) => {
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
      if (header === '' && onLate) reportLate(records)
      return header + records.map(record => line((columns ?? []).map(path => valueAt(record, path)))).join('')
    },
    end: () => (columns || !given ? '' : begin([])),
  }
}

/** RFC 4180. A single empty field is quoted, because readers skip empty lines. */
function line(values: readonly unknown[]): string {
  const fields = values.map(field)
  return `${fields.length === 1 && fields[0] === '' ? '""' : fields.join(',')}\r\n`
}

function field(value: unknown): string {
  const text = typeof value === 'string' ? withoutFormula(value) : value == null ? '' : JSON.stringify(value)
  return /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/**
 * A spreadsheet runs text that begins like this as a formula, so a reference written by an attacker could send the sheet
 * to them. The apostrophe makes it text. Programs that need the exact value use json or jsonl.
 */
const FORMULA = /^[=+\-@\t\r\uff0b\uff0d\uff1d\uff20]/

const withoutFormula = (text: string) => (FORMULA.test(text) ? `'${text}` : text)
