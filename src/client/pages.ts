import type { Answer } from './answer-type.ts'
import { CursorRepeatedError } from './errors.ts'
import type { PayoutsQuery } from './requests.ts'
import type { PayoutIntent, PayoutList } from './resources.ts'

export interface Page {
  readonly payouts: readonly PayoutIntent[]
  /** Where the next page starts: to go on from here later. Null after the last. */
  readonly nextCursor: string | null
  readonly answer: Answer<PayoutList>
}

/**
 * Page after page, each asked for when it is wanted, none kept. The filters go with every request: a cursor says
 * where to go on, not with what.
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

/** Servers differ in the cursor of the last page: that there is one says nothing, has_more does. */
const nextOf = ({ next_cursor, has_more }: PayoutList): string | null =>
  has_more ? (next_cursor ?? null) : null
