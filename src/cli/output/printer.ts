import { UsageError } from '../errors/cli-errors.ts'
import { chosenPaths, chosenTable } from './choose-columns.ts'
import type { OutputFlags } from './flags.ts'
import { formOf } from './form.ts'
import type { Format } from './format.ts'
import { parsePath } from './path.ts'
import { picked } from './picked.ts'
import { openScreen } from './screen.ts'
import type { Sheet } from './sheet.ts'
import { drawTable } from './table.ts'
import { tableSheet } from './table-sheet.ts'
import type { View } from './view.ts'
import { visibleLines } from './visible.ts'
import { writerTo } from './writer.ts'

export interface Shown<T> {
  readonly body: T
  /** The body of the answer exactly as it came. */
  readonly text?: string
}

/** A list that may be shown as it comes. */
export type ListView<T> = View<T> & { readonly rows: NonNullable<View<T>['rows']> }

export interface PageStream<T> {
  page(body: T): Promise<void>
  end(): Promise<void>
}

export interface Printer {
  readonly format: Format
  show<T>(shown: Shown<T>, view: View<T>): Promise<void>
  /** Rows as they come, in constant memory: each page is awaited until it is on its way. */
  stream<T>(view: ListView<T>): PageStream<T>
}

/** Throws a QueryFault where `--query` is no path, before anything is called. */
export function openPrinter(
  flags: OutputFlags,
  { out }: { out: NodeJS.WriteStream } = { out: process.stdout },
): Printer {
  const { output: format = 'human', bom, columns } = flags
  const query = flags.query === undefined ? undefined : parsePath(flags.query)
  refuseIdle(flags, format)
  const drawn = format === 'human' && !query
  const write = writerTo(out)
  // Data on a terminal is read by eyes, which a control character deceives. A program gets it to the last one.
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
        const room = noteOfRoom(columns === undefined && view.table !== undefined)
        const screen = {
          ...(await openScreen(out, flags, { ascii: isAscii(body) })),
          onDropped: room.onDropped,
        }
        const rows = columns && view.rows?.(body)
        const drawing = rows
          ? drawTable(rows, chosenTable(columns, view, rows), screen)
          : view.human(body, screen)
        await write(ended(await drawing))
        return room.tell()
      }
      if (format === 'json' && !query && text !== undefined) return writeData(ended(text))
      if (body === undefined) return
      const rows = format === 'jsonl' || format === 'csv' ? view.rows?.(body) : undefined
      const form = await formFor(view, rows ?? [body])
      const values = picked(query, { body, roots: rows ?? [body], mayLack: view.mayLack })
      if (!rows && !query?.many) return writeData(form.whole(values[0]))
      const sheet = form.sheet()
      return writeData(sheet.rows(values) + sheet.end())
    },
    stream(view) {
      const room = noteOfRoom(columns === undefined)
      const openSheet = async (rows: readonly unknown[]): Promise<Sheet> => {
        if (!drawn) return (await formFor(view, rows)).sheet()
        const screen = { ...(await openScreen(out, flags)), onDropped: room.onDropped }
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
          room.tell()
        },
      }
    },
  }
}

/** A flag that would change nothing is a mistake that nobody would notice. */
function refuseIdle({ bom, columns, query }: OutputFlags, format: Format): void {
  if (bom && format !== 'csv') throw new UsageError('--bom goes with -o csv')
  if (columns && query !== undefined)
    throw new UsageError('--columns and --query are two ways to choose: give one of them')
  if (columns && format !== 'human' && format !== 'csv')
    throw new UsageError(
      `--columns goes with tables and -o csv, not with -o ${format}: --query chooses there`,
    )
}

/** Says once, on stderr, what a table had no room for. */
function noteOfRoom(canChoose: boolean) {
  const missing = new Set<string>()
  return {
    onDropped(headers: readonly string[]) {
      for (const header of headers) missing.add(header.toLowerCase())
    },
    tell() {
      if (missing.size === 0) return
      const how = canChoose ? '--columns chooses others, and -o json has all' : '-o json has all'
      process.stderr.write(`Left out to fit the width: ${[...missing].join(', ')}; ${how}.\n`)
    },
  }
}

const ended = (text: string) => (text === '' || text.endsWith('\n') ? text : `${text}\n`)

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are ASCII, and shown as such
const isAscii = (body: unknown) => /^[\x00-\x7f]*$/.test(JSON.stringify(body) ?? '')
