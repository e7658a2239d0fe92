import { jsonLine } from '../json-line.ts'

export const FORMATS = ['human', 'json', 'jsonl', 'yaml', 'csv'] as const
export type Format = (typeof FORMATS)[number]

/** Records that are written part by part, with the text before, between and after them. */
export interface Sheet {
  rows(values: readonly unknown[]): string
  end(): string
}

/** A format that data is written in. Every text it makes ends with a newline. */
export interface Form {
  whole(value: unknown): string
  sheet(): Sheet
}

const indented = (value: unknown) => JSON.stringify(value, null, 2)

/** A list is one array, even if it has several pages. */
export const jsonForm: Form = {
  whole: value => `${indented(value)}\n`,
  sheet() {
    let count = 0
    return {
      rows: values =>
        values
          .map(value => `${count++ === 0 ? '[' : ','}\n  ${indented(value).replaceAll('\n', '\n  ')}`)
          .join(''),
      end: () => (count === 0 ? '[]\n' : '\n]\n'),
    }
  },
}

export const jsonLinesForm: Form = {
  whole: value => jsonLine(JSON.stringify(value)),
  sheet: () => ({
    rows: values => values.map(value => jsonLine(JSON.stringify(value))).join(''),
    end: () => '',
  }),
}

/** The result of a query, for people and shells: a string is printed without quotes. */
export const rawForm: Form = {
  whole: raw,
  sheet: () => ({ rows: values => values.map(raw).join(''), end: () => '' }),
}

function raw(value: unknown): string {
  return `${typeof value === 'string' ? value : indented(value)}\n`
}
