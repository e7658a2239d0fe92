import type { Page } from '../../contract/control/overview.ts'
import { FROM_THE_TOP, type Position } from '../../domain/list-index.ts'
import type { ListedRecords } from '../../domain/table.ts'
import type { Request } from '../http/request.ts'
import { refuseProblems } from '../refusal.ts'

/** Newest first: all records, or `limit` of them after `cursor`. */
export function pageOf<R, Row>(
  request: Request,
  list: ListedRecords<R>,
  view: (record: R) => Row,
  matches: (facets: readonly string[]) => boolean = () => true,
): Page<Row> {
  const { limit: limitText, cursor } = request.query as { limit?: string; cursor?: string }
  const limit = limitText === undefined ? Number.POSITIVE_INFINITY : Number(limitText)
  if (!(limit >= 1)) throw refuseProblems([{ field: 'limit', message: 'must be a whole number above 0' }])
  const data: Row[] = []
  let last: Position = cursor === undefined ? FROM_THE_TOP : positionIn(cursor)
  for (const item of list.below(last, matches)) {
    if (data.length >= limit) return { data, has_more: true, next_cursor: `${last.at}.${last.ordinal}` }
    data.push(view(item.record))
    last = item
  }
  return { data, has_more: false, next_cursor: null }
}

function positionIn(cursor: string) {
  const match = /^(\d+)\.(\d+)$/.exec(cursor)
  if (!match) throw refuseProblems([{ field: 'cursor', message: 'is not a next_cursor of this list' }])
  return { at: Number(match[1]), ordinal: Number(match[2]) }
}
