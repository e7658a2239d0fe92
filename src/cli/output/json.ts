import { jsonLine } from '../json-line.ts'
import type { Form } from './sheet.ts'

const indented = (value: unknown) => JSON.stringify(value, null, 2)

/** A list is one array, however many pages it comes in. */
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

/** What a query leads to, for people and for shells: a text is itself, without quotes. */
export const rawForm: Form = {
  whole: raw,
  sheet: () => ({ rows: values => values.map(raw).join(''), end: () => '' }),
}

function raw(value: unknown): string {
  return `${typeof value === 'string' ? value : indented(value)}\n`
}
