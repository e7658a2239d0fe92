import { createHash } from 'node:crypto'
import { basename } from 'node:path'
import { closest } from '../../contract/closest.ts'
import { canonicalJson, isRecord } from '../../contract/json.ts'
import { FilesError, messageOf, UsageError } from '../errors/cli-errors.ts'
import { cannotRead, textOfFile } from '../named-file.ts'
import { visible } from '../output/text.ts'
import { readAmount } from './amount.ts'
import { type Body, textAt, withValue } from './body.ts'

/** A line of a list: what to create. */
export interface Line {
  /** Where it is, as editors jump there: `payouts.csv:5`. */
  readonly place: string
  readonly body: Body
}

/** The lines of a list, and what the caller should know about them. */
export interface ListFile {
  readonly name: string
  readonly lines: readonly Line[]
  readonly notes: readonly string[]
}

const NAMES = /\.(csv|jsonl|ndjson)$/i

/** Splits the values of `--data` into the list, if one of them is a file named like one, and the others. */
export function listIn(sources: readonly string[] = []): { list?: string; others: readonly string[] } {
  const isList = (source: string) => NAMES.test(source) && !/^\s*[[{"]/.test(source)
  const lists = sources.filter(isList)
  if (lists.length > 1) throw new UsageError(`--data names ${lists.length} lists: give one at a time`)
  const [list] = lists
  return { ...(list === undefined ? {} : { list }), others: sources.filter(source => !isList(source)) }
}

/** Reads a list of CSV, whose first line names the `fields`, or of JSON objects, one a line. All mistakes are reported. */
export async function readList(source: string, fields: readonly string[]): Promise<ListFile> {
  const path = source.replace(/^@/, '')
  const text = (await textOfFile(path).catch(cannotRead(path, '--data'))).replace(/^\uFEFF/, '')
  const read = path.toLowerCase().endsWith('.csv')
    ? await readCsv(text, path, fields)
    : readJsonLines(text, path)
  if (read.problems.length > 0) throw new FilesError(read.problems.map(visible).join('\n'))
  if (read.lines.length === 0) throw new UsageError(`${path} has no line to create anything from`)
  return { name: basename(path), lines: read.lines, notes: read.notes }
}

interface Read {
  readonly lines: readonly Line[]
  readonly notes: readonly string[]
  readonly problems: readonly string[]
}

function readJsonLines(text: string, path: string): Read {
  const lines: Line[] = []
  const problems: string[] = []
  for (const [at, written] of text.split('\n').entries()) {
    if (written.trim() === '') continue
    const place = `${path}:${at + 1}`
    try {
      const body: unknown = JSON.parse(written)
      if (isRecord(body)) lines.push({ place, body })
      else problems.push(`${place}: is not an object: write one {…} a line`)
    } catch (cause) {
      problems.push(`${place}: is not JSON: ${messageOf(cause)}`)
    }
  }
  return { lines, notes: [], problems }
}

async function readCsv(text: string, path: string, fields: readonly string[]): Promise<Read> {
  const { CsvError, parse } = await import('csv-parse/sync')
  const [header = ''] = text.split('\n', 1)
  const delimiter = [',', ';', '\t'].find(mark => header.includes(mark)) ?? ','
  try {
    const rows: { readonly cells: readonly string[]; readonly line: number }[] = []
    const keep = (cells: string[], { lines }: { readonly lines: number }) => {
      rows.push({ cells, line: lines })
      return undefined
    }
    parse(text, { delimiter, skip_empty_lines: true, trim: true, on_record: keep })
    const [first, ...others] = rows
    const names = first?.cells ?? []
    const problems = headerProblems(names, fields).map(problem => `${path}:1: ${problem}`)
    const lines = others.map(({ cells, line }) => lineOf(`${path}:${line}`, names, cells, fields))
    const unsent = names.filter(name => !fields.includes(name))
    return {
      lines: lines.flatMap(line => ('body' in line ? [line] : [])),
      problems: [...problems, ...lines.flatMap(line => ('problem' in line ? [line.problem] : []))],
      notes: unsent.length === 0 ? [] : [`columns that are not sent: ${visible(unsent.join(', '))}`],
    }
  } catch (cause) {
    if (!(cause instanceof CsvError)) throw cause
    throw new FilesError(`${path}:${Number(cause.lines) || 1}: is not CSV: ${visible(cause.message)}`)
  }
}

function headerProblems(names: readonly string[], fields: readonly string[]): string[] {
  return names.flatMap((name, at) => {
    if (names.indexOf(name) !== at) return [`the column ${name} is there twice`]
    if (fields.includes(name)) return []
    const near = closest(name, fields) ?? fields.find(field => field.endsWith(`.${name}`))
    if (near !== undefined) return [`unknown column ${name}; did you mean ${near}?`]
    return []
  })
}

/** A row as a body: empty cells are left out, and an amount may have its currency, as `--amount` may. */
function lineOf(
  place: string,
  names: readonly string[],
  cells: readonly string[],
  fields: readonly string[],
): Line | { readonly problem: string } {
  let body: Body = {}
  for (const [at, name] of names.entries()) {
    const cell = withoutApostrophe(cells[at] ?? '')
    if (cell !== '' && fields.includes(name)) body = withValue(body, name, cell)
  }
  const written = textAt(body, 'amount')
  if (written === undefined) return { place, body }
  try {
    const { minor, currency } = readAmount(written)
    const other = textAt(body, 'currency')
    if (currency !== undefined && other !== undefined && other !== currency)
      return { problem: `${place}: the amount "${written}" and the currency ${other} contradict each other` }
    return { place, body: { ...body, amount: minor, ...(currency === undefined ? {} : { currency }) } }
  } catch (cause) {
    if (!(cause instanceof UsageError)) throw cause
    return { problem: `${place}: ${cause.message}` }
  }
}

/** `-o csv` puts it before a text that a spreadsheet would run as a formula. */
const withoutApostrophe = (cell: string) => cell.replace(/^'(?=[=+\-@])/, '')

/**
 * The idempotency key of each line. It follows from the name of the list and what the line says, so that a list can be
 * sent again after a failure, or after some lines were corrected, added or removed, and makes nothing twice. Lines that
 * say the same are counted, because each of them is meant.
 */
export function keysOf(name: string, bodies: readonly Body[]): string[] {
  const seen = new Map<string, number>()
  return bodies.map(body => {
    const said = canonicalJson(body)
    const nth = (seen.get(said) ?? 0) + 1
    seen.set(said, nth)
    return `paysim-${createHash('sha256').update(`${name}\n${nth}\n${said}`).digest('hex').slice(0, 32)}`
  })
}
