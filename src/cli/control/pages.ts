import type { Command } from 'commander'
import type { Call } from '../../client/call.ts'
import type { ListBody } from '../../client/control-caller.ts'
import { atLeastOne } from '../flag-values.ts'
import type { ListView } from '../output/view.ts'
import type { ControlSession } from './session.ts'

/** A part of a list, as a call asks for it. */
export interface PageQuery {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

/** Which part of a long list to print. */
export interface PageFlags {
  readonly limit?: number
  readonly pageSize?: number
  readonly cursor?: string
  readonly all?: true
}

const DEFAULT_LIMIT = 50
const DEFAULT_PAGE = 1000

export function pageFlags(command: Command): Command {
  return command
    .option(
      '--limit <n>',
      `print at most this many (default: ${DEFAULT_LIMIT}, or no limit with --all)`,
      atLeastOne,
    )
    .option(
      '--page-size <n>',
      `get this many with each request (default: ${DEFAULT_PAGE} with --all)`,
      atLeastOne,
    )
    .option('--cursor <cursor>', 'continue from this cursor')
    .option('--all', 'print all, page by page')
}

/** Prints one page, or page by page with --all. */
export async function showPages<T>(
  { show, printer }: ControlSession,
  { limit, pageSize, cursor, all }: PageFlags,
  { list, view }: { list: (page: PageQuery) => Call<T[], ListBody<T>>; view: ListView<ListBody<T>> },
): Promise<void> {
  if (!all) {
    const most = Math.min(limit ?? pageSize ?? DEFAULT_LIMIT, pageSize ?? Number.POSITIVE_INFINITY)
    const call = list({ limit: most, cursor })
    await show(call, view)
    reportMore((await call.answer()).body.next_cursor)
    return
  }
  const pages = printer.stream(view)
  let next: string | null | undefined = cursor
  let left = limit ?? Number.POSITIVE_INFINITY
  do {
    const size = Math.min(left, pageSize ?? DEFAULT_PAGE)
    const { body }: { body: ListBody<T> } = await list({ limit: size, cursor: next }).answer()
    await pages.page(body)
    next = body.next_cursor
    left -= body.data.length
  } while (next && left > 0)
  await pages.end()
  reportMore(next)
}

function reportMore(next: string | null | undefined): void {
  if (next) process.stderr.write(`There are more: continue with --cursor ${next}, or list all with --all\n`)
}
