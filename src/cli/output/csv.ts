import { flatten } from './flatten.ts'
import type { Form, Sheet } from './sheet.ts'

export interface CsvOptions {
  /** The columns; without them, the members of the records that come first. */
  readonly columns?: readonly string[] | undefined
  /** The header over values that are no records. */
  readonly valueName: string
}

export function csvForm(options: CsvOptions): Form {
  return { whole: value => csvSheet(options).rows([value]), sheet: () => csvSheet(options) }
}

function csvSheet({ columns: told, valueName }: CsvOptions): Sheet {
  let columns: readonly string[] | undefined
  const begin = (chosen: readonly string[]) => {
    columns = chosen
    return line(chosen.map(path => path || valueName))
  }
  return {
    rows(values) {
      if (values.length === 0) return ''
      const records = values.map(flatten)
      const header = columns ? '' : begin(told ?? [...new Set(records.flatMap(record => [...record.keys()]))])
      return header + records.map(record => line((columns ?? []).map(path => record.get(path)))).join('')
    },
    end: () => (columns || !told ? '' : begin(told)),
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
