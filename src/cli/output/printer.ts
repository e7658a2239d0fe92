import { redactHeaders } from '../../client/credentials.ts'
import type { Answer } from '../../client/transport/transport.ts'
import { csvLine } from '../../contract/csv.ts'
import { UsageError } from '../errors/cli-errors.ts'
import {
  type DataFormat,
  type Format,
  jsonFormat,
  jsonLinesFormat,
  type OutputFlags,
  rawFormat,
  type Sheet,
  yamlFormat,
} from './formats.ts'
import { flatten, valueAt, withDecimals } from './members.ts'
import { type Path, parsePath, picked } from './query.ts'
import { chosenPaths, chosenTable, drawTable, tableSheet } from './table.ts'
import { visible } from './text.ts'
import type { ListView, View } from './view.ts'

interface Shown<T> {
  readonly body: T
  /** The body of the answer exactly as it was received. */
  readonly text?: string
}

export interface PageStream<T> {
  page(body: T): Promise<void>
  end(): Promise<void>
}

export interface Printer {
  readonly format: Format
  show<T>(shown: Shown<T>, view: View<T>): Promise<void>
  /** Prints a list page by page, in constant memory: each page is written before the next one is taken. */
  stream<T>(view: ListView<T>, how?: StreamOptions): PageStream<T>
}

interface StreamOptions {
  /** Whether the command has --columns, which is then suggested if some do not fit; true by default. */
  readonly canChoose?: boolean
}

/** Throws a QueryError if `--query` is not a path, before anything is sent. */
export function openPrinter(
  flags: OutputFlags,
  { out }: { out: NodeJS.WriteStream } = { out: process.stdout },
): Printer {
  const { output: format = 'human', bom, columns } = flags
  const query = flags.query === undefined ? undefined : parsePath(flags.query)
  refuseIdleFlags(flags, format)
  const drawn = format === 'human' && !query
  const write = writerTo(out)
  const formFor = (view: ListView<never> | View<never>, rows: readonly unknown[]) =>
    formatOf(format, query, {
      bom,
      leavesOut: view.csvLeavesOut,
      ...(columns ? { columns: chosenPaths(columns, view, rows), chosen: true } : { columns: view.csv }),
    })

  return {
    format,
    async show({ body, text }, view) {
      if (drawn) {
        const dropped = droppedColumns(columns === undefined && view.table !== undefined)
        const { openScreen } = await import('./screen.ts')
        const screen = {
          ...(await openScreen(out, flags, { ascii: isAscii(body) })),
          onDropped: dropped.add,
        }
        const rows = columns && view.rows?.(body)
        const drawing = rows
          ? drawTable(rows, chosenTable(columns, view, rows), screen)
          : view.human(body, screen)
        await write(withNewline(await drawing))
        return dropped.report()
      }
      if (format === 'json' && !query && text !== undefined) return write(withNewline(text))
      if (body === undefined) return
      const rows = format === 'jsonl' || format === 'csv' ? view.rows?.(body) : undefined
      const form = await formFor(view, rows ?? [body])
      const values = picked(query, { body, roots: rows ?? [body], mayLack: view.mayLack })
      if (!rows && !query?.many) return write(form.whole(values[0]))
      const sheet = form.sheet()
      return write(sheet.rows(values) + sheet.end())
    },
    stream(view, { canChoose = true } = {}) {
      const dropped = droppedColumns(canChoose && columns === undefined)
      const openSheet = async (rows: readonly unknown[]): Promise<Sheet> => {
        if (!drawn) return (await formFor(view, rows)).sheet()
        const { openScreen } = await import('./screen.ts')
        const screen = { ...(await openScreen(out, flags)), onDropped: dropped.add }
        return tableSheet(columns ? { table: chosenTable(columns, view, rows) } : view, screen)
      }
      let sheet: Sheet | undefined
      let someFound = false
      return {
        async page(body) {
          const roots = view.rows(body)
          sheet ??= await openSheet(roots)
          const values = picked(query, { body, roots, mayLack: view.mayLack, lenient: someFound })
          someFound ||= roots.length > 0
          await write(sheet.rows(values))
        },
        async end() {
          sheet ??= await openSheet([])
          await write(sheet.end())
          dropped.report()
        },
      }
    },
  }
}

/** A flag without effect is a mistake that nobody would notice. */
function refuseIdleFlags({ bom, columns, query }: OutputFlags, format: Format): void {
  if (bom && format !== 'csv') throw new UsageError('--bom works only with -o csv')
  if (columns && query !== undefined)
    throw new UsageError('--columns and --query cannot be combined: give one of them')
  if (columns && format !== 'human' && format !== 'csv')
    throw new UsageError(
      `--columns works only with tables and -o csv, not with -o ${format}: use --query instead`,
    )
}

/** Reports once, on stderr, which columns did not fit on the screen. */
function droppedColumns(canChoose: boolean) {
  const dropped = new Set<string>()
  return {
    add(headers: readonly string[]) {
      for (const header of headers) dropped.add(header.toLowerCase())
    },
    report() {
      if (dropped.size === 0) return
      const how = canChoose
        ? 'choose columns with --columns, or see all with -o json'
        : 'see all with -o json'
      process.stderr.write(`Left out to fit the width: ${[...dropped].join(', ')}; ${how}.\n`)
    },
  }
}

const withNewline = (text: string) => (text === '' || text.endsWith('\n') ? text : `${text}\n`)

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are ASCII, and shown as such
const isAscii = (body: unknown) => /^[\x00-\x7f]*$/.test(JSON.stringify(body) ?? '')

/** How data is written in a format. In the format for people, this is only for the result of a query. */
export async function formatOf(
  format: Format,
  query: Path | undefined,
  csv: Omit<CsvOptions, 'valueName' | 'onLate'> = {},
): Promise<DataFormat> {
  switch (format) {
    case 'json':
      return jsonFormat
    case 'jsonl':
      return jsonLinesFormat
    case 'yaml':
      return yamlFormat()
    case 'csv':
      return csvFormat(
        query ? { bom: csv.bom, valueName: query.text } : { ...csv, valueName: 'value', onLate },
      )
    case 'human':
      return rawFormat
  }
}

/** The first page decides the columns of csv. Members that appear later are reported, not lost in silence. */
function onLate(paths: readonly string[]): void {
  const [what, have] = paths.length === 1 ? ['this member', 'has'] : ['these members', 'have']
  process.stderr.write(
    `paysim: ${what} appeared after the first page and ${have} no column: ${visible(paths.join(', '))}; use -o jsonl to get all members\n`,
  )
}

type Write = (text: string) => Promise<void>

/**
 * Writes, and waits until the text is passed on, so that a slow reader slows down the writer. If it cannot be passed on, the
 * process ends, unless the command listens for errors of its output: see `bin/paysim.js`.
 */
export const writerTo =
  (out: NodeJS.WriteStream): Write =>
  text =>
    new Promise(resolve => {
      if (text === '') resolve()
      else out.write(text, () => resolve())
    })

/** Prints status and headers of an answer on stderr, since stdout is for its body. */
export function showHeaders({ status, headers }: Answer<unknown>): void {
  const lines = Object.entries(redactHeaders(headers)).map(([name, value]) => `${name}: ${value}`)
  process.stderr.write(`${[`HTTP ${status}`, ...lines].map(visible).join('\n')}\n\n`)
}

interface CsvOptions {
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

export function csvFormat(options: CsvOptions): DataFormat {
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
    return `${bom ? '\ufeff' : ''}${csvLine(columns.map(path => path || valueName))}`
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
      return (
        header + records.map(record => csvLine((columns ?? []).map(path => valueAt(record, path)))).join('')
      )
    },
    end: () => (columns || !given ? '' : begin([])),
  }
}
