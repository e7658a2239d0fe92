import type { Answer } from '../../client/answer-type.ts'
import { redactHeaders } from '../../client/credentials.ts'
import { UsageError } from '../errors/cli-errors.ts'
import { chosenPaths, chosenTable } from './choose-columns.ts'
import { type CsvOptions, csvForm } from './csv.ts'
import type { OutputFlags } from './flags.ts'
import { type Form, type Format, jsonForm, jsonLinesForm, rawForm, type Sheet } from './formats.ts'
import { type Path, parsePath, picked } from './query.ts'
import { openScreen } from './screen.ts'
import { drawTable, tableSheet } from './table.ts'
import { visible, visibleLines } from './text.ts'
import type { ListView, View } from './view.ts'

export interface Shown<T> {
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
  stream<T>(view: ListView<T>): PageStream<T>
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
  // Control characters could deceive the reader of a terminal. A program gets the data unchanged.
  const writeData = (text: string) => write(out.isTTY ? visibleLines(text) : text)
  const formFor = (view: ListView<never> | View<never>, rows: readonly unknown[]) =>
    formOf(format, query, {
      bom,
      leavesOut: view.csvLeavesOut,
      ...(columns ? { columns: chosenPaths(columns, view, rows), chosen: true } : { columns: view.csv }),
    })

  return {
    format,
    async show({ body, text }, view) {
      if (drawn) {
        const dropped = droppedColumns(columns === undefined && view.table !== undefined)
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
      if (format === 'json' && !query && text !== undefined) return writeData(withNewline(text))
      if (body === undefined) return
      const rows = format === 'jsonl' || format === 'csv' ? view.rows?.(body) : undefined
      const form = await formFor(view, rows ?? [body])
      const values = picked(query, { body, roots: rows ?? [body], mayLack: view.mayLack })
      if (!rows && !query?.many) return writeData(form.whole(values[0]))
      const sheet = form.sheet()
      return writeData(sheet.rows(values) + sheet.end())
    },
    stream(view) {
      const dropped = droppedColumns(columns === undefined)
      const openSheet = async (rows: readonly unknown[]): Promise<Sheet> => {
        if (!drawn) return (await formFor(view, rows)).sheet()
        const screen = { ...(await openScreen(out, flags)), onDropped: dropped.add }
        return tableSheet(columns ? { table: chosenTable(columns, view, rows) } : view, screen)
      }
      const writePart = drawn ? write : writeData
      let sheet: Sheet | undefined
      let someFound = false
      return {
        async page(body) {
          const roots = view.rows(body)
          sheet ??= await openSheet(roots)
          const values = picked(query, { body, roots, mayLack: view.mayLack, lenient: someFound })
          someFound ||= roots.length > 0
          await writePart(sheet.rows(values))
        },
        async end() {
          sheet ??= await openSheet([])
          await writePart(sheet.end())
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
export async function formOf(
  format: Format,
  query: Path | undefined,
  csv: Omit<CsvOptions, 'valueName' | 'onLate'> = {},
): Promise<Form> {
  switch (format) {
    case 'json':
      return jsonForm
    case 'jsonl':
      return jsonLinesForm
    case 'yaml':
      return (await import('./yaml-form.ts')).yamlForm
    case 'csv':
      return csvForm(query ? { bom: csv.bom, valueName: query.text } : { ...csv, valueName: 'value', onLate })
    case 'human':
      return rawForm
  }
}

/** The first page decides the columns of csv. Members that appear later are reported, not lost in silence. */
function onLate(paths: readonly string[]): void {
  const [what, have] = paths.length === 1 ? ['this member', 'has'] : ['these members', 'have']
  process.stderr.write(
    `paysim: ${what} appeared after the first page and ${have} no column: ${visible(paths.join(', '))}; use -o jsonl to get all members\n`,
  )
}

export type Write = (text: string) => Promise<void>

/** Streams that have a listener for errors, without which Node would end the process. Each write reports its own. */
const listening = new WeakSet<NodeJS.WritableStream>()

/** How a pipe reports that its reader is gone; the second is Windows. */
const READER_GONE = new Set(['EPIPE', 'EOF'])

/** Writes, and waits until the text is passed on, so that a slow reader slows down the writer. */
export function writerTo(out: NodeJS.WriteStream): Write {
  if (!listening.has(out)) {
    listening.add(out)
    out.on('error', () => {})
  }
  return text =>
    new Promise((resolve, reject) => {
      if (text === '') return resolve()
      out.write(text, error => {
        if (!error) return resolve()
        // The reader, such as `head`, has seen enough: this is not an error, and nothing is left to do.
        if (READER_GONE.has((error as NodeJS.ErrnoException).code ?? '')) return process.exit()
        reject(error)
      })
    })
}

/** Prints status and headers of an answer on stderr, since stdout is for its body. */
export function showHeaders({ status, headers }: Answer<unknown>): void {
  const lines = Object.entries(redactHeaders(headers)).map(([name, value]) => `${name}: ${value}`)
  process.stderr.write(`${[`HTTP ${status}`, ...lines].map(visible).join('\n')}\n\n`)
}
