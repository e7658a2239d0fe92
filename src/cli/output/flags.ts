import { type Command, InvalidArgumentError, Option } from 'commander'
import { closest } from '../../contract/closest.ts'
import { commaSeparated } from '../flag-values.ts'
import { FORMATS, type Format } from './formats.ts'
import { parsePath, QueryError } from './query.ts'

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
  const output = new Option('-o, --output <format>', 'output format')
    .choices(FORMATS)
    .argParser(format)
    .env('PAYSIM_OUTPUT')
    .default('human')
  command
    .addOption(output)
    .option('--query <path>', 'print only this part, such as id, next_action.qr_data or data[].id', query)
  if (list)
    command.option('--columns <names>', 'columns of a table or of csv, such as id,amount,status', columns)
  return command
    .option('--bom', 'begin csv with a byte order mark, which some spreadsheets need to read UTF-8')
    .option('--no-color', 'print no colours (or set NO_COLOR)')
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
