import { type Command, InvalidArgumentError, Option } from 'commander'
import { closest } from '../../contract/closest.ts'
import { words } from '../flag-values.ts'
import { FORMATS, type Format } from './format.ts'
import { parsePath, QueryError } from './path.ts'

export interface OutputFlags {
  output?: Format
  query?: string
  color?: boolean
  bom?: true
  columns?: readonly string[]
}

interface Shape {
  /** Whether what is printed is a list, whose columns can be chosen. */
  readonly list?: boolean
}

/** Adds -o/--output, --query, --columns, --bom and --no-color. */
export function outputFlags(command: Command, { list = false }: Shape = {}): Command {
  const output = new Option('-o, --output <format>', 'how to print it')
    .choices(FORMATS)
    .argParser(format)
    .env('PAYSIM_OUTPUT')
    .default('human')
  command
    .addOption(output)
    .option('--query <path>', 'print only what is there: id, next_action.qr_data, data[].id', query)
  if (list)
    command.option(
      '--columns <names>',
      'which columns, for people and csv, such as id,amount,status',
      columns,
    )
  return command
    .option('--bom', 'begin csv with a byte order mark, by which some spreadsheets know UTF-8')
    .option('--no-color', 'no colours, as NO_COLOR does')
}

function columns(text: string, before: readonly string[] = []): string[] {
  const names = words(text, before)
  if (names.length === 0) throw new InvalidArgumentError('It must name columns, such as id,amount,status.')
  return names
}

function format(word: string): Format {
  const known = FORMATS.find(candidate => candidate === word)
  if (known) return known
  const meant = closest(word, FORMATS)
  const hint = meant ? `Did you mean ${meant}? ` : ''
  throw new InvalidArgumentError(`${hint}Allowed choices are ${FORMATS.join(', ')}.`)
}

/** Looked at before anything is sent: a payment made is not undone by a slip in how it was to be shown. */
function query(text: string): string {
  try {
    parsePath(text)
    return text
  } catch (error) {
    if (error instanceof QueryError) throw new InvalidArgumentError(error.message)
    throw error
  }
}
