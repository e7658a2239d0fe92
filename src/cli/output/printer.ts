import type { OutputFlags } from './flags.ts'
import { formOf } from './form.ts'
import type { Format } from './format.ts'
import { parsePath } from './path.ts'
import { picked } from './picked.ts'
import { openScreen } from './screen.ts'
import type { Sheet } from './sheet.ts'
import type { Table } from './table.ts'
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
export type ListView<T> = View<T> & { readonly rows: NonNullable<View<T>['rows']>; readonly table?: Table }

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
  const { output: format = 'human' } = flags
  const query = flags.query === undefined ? undefined : parsePath(flags.query)
  const drawn = format === 'human' && !query
  const write = writerTo(out)
  // Data on a terminal is read by eyes, which a control character deceives. A program gets it to the last one.
  const writeData = (text: string) => write(out.isTTY ? visibleLines(text) : text)

  return {
    format,
    async show({ body, text }, view) {
      if (drawn) {
        const screen = await openScreen(out, flags, { ascii: isAscii(body) })
        return write(ended(await view.human(body, screen)))
      }
      if (format === 'json' && !query && text !== undefined) return writeData(ended(text))
      if (body === undefined) return
      const form = await formOf(format, query, view.csv)
      const rows = format === 'jsonl' || format === 'csv' ? view.rows?.(body) : undefined
      const values = picked(query, { body, roots: rows ?? [body], mayLack: view.mayLack })
      if (!rows && !query?.many) return writeData(form.whole(values[0]))
      const sheet = form.sheet()
      return writeData(sheet.rows(values) + sheet.end())
    },
    stream(view) {
      const openSheet = async (): Promise<Sheet> =>
        drawn
          ? tableSheet(view, await openScreen(out, flags))
          : (await formOf(format, query, view.csv)).sheet()
      const writePart = drawn ? write : writeData
      let sheet: Sheet | undefined
      let someFound = false
      return {
        async page(body) {
          sheet ??= await openSheet()
          const roots = view.rows(body)
          const values = picked(query, { body, roots, mayLack: view.mayLack, lenient: someFound })
          someFound ||= roots.length > 0
          await writePart(sheet.rows(values))
        },
        async end() {
          sheet ??= await openSheet()
          await writePart(sheet.end())
        },
      }
    },
  }
}

const ended = (text: string) => (text === '' || text.endsWith('\n') ? text : `${text}\n`)

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are ASCII, and shown as such
const isAscii = (body: unknown) => /^[\x00-\x7f]*$/.test(JSON.stringify(body) ?? '')
