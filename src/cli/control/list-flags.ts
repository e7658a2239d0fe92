import type { Command } from 'commander'
import type { Call } from '../../client/call.ts'
import type { ListBody } from '../../client/control-http.ts'
import type { PageQuery } from '../../client/control-record-calls.ts'
import { count } from '../flag-values.ts'
import type { ListView } from '../output/printer.ts'
import type { ControlSession } from './session.ts'

/** Which part of a list that may be long. */
export interface ListFlags {
  readonly limit?: number
  readonly cursor?: string
  readonly all?: true
}

const A_SCREENFUL = 50
const A_PAGE = 1000

export function listFlags(command: Command): Command {
  return command
    .option('--limit <n>', `how many; ${A_SCREENFUL} otherwise`, count)
    .option('--cursor <cursor>', 'go on from there')
    .option('--all', 'all of them, page by page')
}

/** One page, or every page as it comes. */
export async function showPages<T>(
  { show, printer }: ControlSession,
  { limit, cursor, all }: ListFlags,
  { list, view }: { list: (page: PageQuery) => Call<T[], ListBody<T>>; view: ListView<ListBody<T>> },
): Promise<void> {
  if (!all) {
    const call = list({ limit: limit ?? A_SCREENFUL, cursor })
    await show(call, view)
    const { body } = await call.answer()
    if (body.next_cursor)
      process.stderr.write(`there are more: --cursor ${body.next_cursor} goes on, --all lists all\n`)
    return
  }
  const pages = printer.stream(view)
  let next: string | null | undefined = cursor
  do {
    const { body }: { body: ListBody<T> } = await list({ limit: limit ?? A_PAGE, cursor: next }).answer()
    await pages.page(body)
    next = body.next_cursor
  } while (next)
  await pages.end()
}
