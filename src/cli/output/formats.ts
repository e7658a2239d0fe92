import { type Command, InvalidArgumentError, Option } from 'commander'
import { closest } from '../../contract/closest.ts'
import { COMMON } from '../command-table.ts'
import { commaSeparated } from '../flag-values.ts'
import { parsePath, QueryError } from './query.ts'

const FORMATS = ['human', 'json', 'jsonl', 'yaml', 'csv'] as const
export type Format = (typeof FORMATS)[number]

/** Records that are written part by part, with the text before, between and after them. */
export interface Sheet {
  rows(values: readonly unknown[]): string
  end(): string
}

/** A format that data is written in. Every text it makes ends with a newline. */
export interface DataFormat {
  whole(value: unknown): string
  sheet(): Sheet
}

const indented = (value: unknown) => JSON.stringify(value, null, 2)

/** A list is one array, even if it has several pages. */
export const jsonFormat: DataFormat = {
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

export const jsonLinesFormat: DataFormat = {
  whole: value => jsonLine(JSON.stringify(value)),
  sheet: () => ({
    rows: values => values.map(value => jsonLine(JSON.stringify(value))).join(''),
    end: () => '',
  }),
}

/** A function, so that the package is loaded only for YAML. */
export async function yamlFormat(): Promise<DataFormat> {
  const { stringify } = await import('yaml')
  // YAML 1.1 reads the country code NO as false: `compat` quotes it.
  const yaml = (value: unknown) =>
    stringify(value, { compat: 'yaml-1.1', lineWidth: 0, aliasDuplicateObjects: false })
  return {
    whole: yaml,
    sheet() {
      let empty = true
      return {
        // The parts together are one list.
        rows(values) {
          if (values.length === 0) return ''
          empty = false
          return yaml(values)
        },
        end: () => (empty ? '[]\n' : ''),
      }
    },
  }
}

/** The result of a query, for people and shells: a string is printed without quotes. */
export const rawFormat: DataFormat = {
  whole: raw,
  sheet: () => ({ rows: values => values.map(raw).join(''), end: () => '' }),
}

function raw(value: unknown): string {
  return `${typeof value === 'string' ? value : indented(value)}\n`
}

export interface OutputFlags {
  output?: Format
  query?: string
  color?: boolean
  bom?: true
  columns?: readonly string[]
}

interface Shape {
  /** Whether the output is a list, whose columns can be chosen. */
  readonly list?: boolean
}

/** Adds -o/--output, --query, --columns, --bom and --no-color. */
export function outputFlags(command: Command, { list = false }: Shape = {}): Command {
  const add = (option: Option) => command.addOption(option.helpGroup(COMMON.output))
  add(
    new Option('-o, --output <format>', 'output format')
      .choices(FORMATS)
      .argParser(format)
      .env('PAYSIM_OUTPUT')
      .default('human'),
  )
  add(
    new Option(
      '--query <path>',
      'print only this part, such as id, next_action.qr_data or data[].id',
    ).argParser(query),
  )
  if (list)
    add(
      new Option('--columns <names>', 'columns of a table or of csv, such as id,amount,status').argParser(
        columns,
      ),
    )
  add(new Option('--bom', 'begin csv with a byte order mark, which some spreadsheets need to read UTF-8'))
  return add(new Option('--no-color', 'print no colours (or set NO_COLOR)'))
}

function columns(text: string, before: readonly string[] = []): string[] {
  const names = commaSeparated(text, before)
  if (names.length === 0)
    throw new InvalidArgumentError('Name at least one column, such as id,amount,status.')
  return names
}

function format(word: string): Format {
  const known = FORMATS.find(candidate => candidate === word)
  if (known) return known
  const meant = closest(word, FORMATS)
  const hint = meant ? `Did you mean ${meant}? ` : ''
  throw new InvalidArgumentError(`${hint}Allowed choices are ${FORMATS.join(', ')}.`)
}

/** The path is checked before anything is sent, so that no command fails after it has created a payment. */
function query(text: string): string {
  try {
    parsePath(text)
    return text
  } catch (error) {
    if (error instanceof QueryError) throw new InvalidArgumentError(error.message)
    throw error
  }
}

/** JSON as one line. Some readers, such as Node since version 22, also end a line at U+2028. */
export const jsonLine = (json: string): string =>
  LINE_END.test(json)
    ? `${json.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}\n`
    : `${json}\n`

const LINE_END = /[\u2028\u2029]/
