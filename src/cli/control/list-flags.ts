import type { Command } from 'commander'
import type { Call } from '../../client/call.ts'
import type { ListBody } from '../../client/control-http.ts'
import type { PageQuery } from '../../client/control-record-calls.ts'
import { atLeastOne } from '../flag-values.ts'
import type { ListView } from '../output/view.ts'
import type { ControlSession } from './session.ts'

/** Which part of a list that may be long. */
export interface ListFlags {
  readonly limit?: number
  readonly pageSize?: number
  readonly cursor?: string
  readonly all?: true
}

const A_SCREENFUL = 50
const A_PAGE = 1000

export function listFlags(command: Command): Command {
  return command
    .option('--limit <n>', `how many; ${A_SCREENFUL} otherwise; with --all, how many in all`, atLeastOne)
    .option('--page-size <n>', `how many at a time; ${A_PAGE} with --all, unless told`, atLeastOne)
    .option('--cursor <cursor>', 'go on from there')
    .option('--all', 'all of them, page by page')
}

/** One page, or every page as it comes. */
export async function showPages<T>(
  { show, printer }: ControlSession,
  { limit, pageSize, cursor, all }: ListFlags,
  { list, view }: { list: (page: PageQuery) => Call<T[], ListBody<T>>; view: ListView<ListBody<T>> },
): Promise<void> {
  if (!all) {
    const most = Math.min(limit ?? pageSize ?? A_SCREENFUL, pageSize ?? Number.POSITIVE_INFINITY)
    const call = list({ limit: most, cursor })
    await show(call, view)
    tellMore((await call.answer()).body.next_cursor)
    return
  }
  const pages = printer.stream(view)
  let next: string | null | undefined = cursor
  let left = limit ?? Number.POSITIVE_INFINITY
  do {
    const size = Math.min(left, pageSize ?? A_PAGE)
    const { body }: { body: ListBody<T> } = await list({ limit: size, cursor: next }).answer()
    await pages.page(body)
    next = body.next_cursor
    left -= body.data.length
  } while (next && left > 0)
  await pages.end()
  tellMore(next)
}

function tellMore(next: string | null | undefined): void {
  if (next) process.stderr.write(`there are more: --cursor ${next} goes on, --all lists all\n`)
}
