import type { Answer } from './answer-type.ts'
import { CursorRepeatedError } from './errors.ts'
import type { PayoutsQuery } from './requests.ts'
import type { PayoutIntent, PayoutList } from './resources.ts'

export interface Page {
  readonly payouts: readonly PayoutIntent[]
  /** The cursor of the next page, to continue later. Null after the last page. */
  readonly nextCursor: string | null
  readonly answer: Answer<PayoutList>
}

/**
 * Requests each page when it is needed, and stores none. Every request repeats the filters, because a cursor does not
 * contain them.
 */
export async function* pagesOf(
  list: (query: PayoutsQuery) => Promise<Answer<PayoutList>>,
  query: PayoutsQuery,
  { from, most = Number.POSITIVE_INFINITY }: { from?: string | undefined; most?: number | undefined } = {},
): AsyncGenerator<Page, void, void> {
  const seen = new Set<string>()
  let cursor = from ?? query.cursor
  let seenPayouts = 0
  for (;;) {
    if (cursor !== undefined) seen.add(cursor)
    const left = most - seenPayouts
    const isLast = left < Number(query.limit ?? Number.POSITIVE_INFINITY)
    const answer = await list({ ...query, ...(isLast ? { limit: left } : {}), cursor })
    const nextCursor = nextOf(answer.body)
    yield { payouts: answer.body.data, nextCursor, answer }
    seenPayouts += answer.body.data.length
    if (nextCursor === null || seenPayouts >= most) return
    if (seen.has(nextCursor)) throw new CursorRepeatedError(nextCursor, answer)
    cursor = nextCursor
  }
}

/** Some servers send a cursor with the last page, so only has_more counts. */
const nextOf = ({ next_cursor, has_more }: PayoutList): string | null =>
  has_more ? (next_cursor ?? null) : null
