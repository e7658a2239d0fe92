import { fill, type Query } from './address.ts'
import type { Call } from './call.ts'
import type { Caller } from './caller.ts'
import { CALL_OPTIONS, demandKnown, type NamesOf, orReject } from './options.ts'
import { type Page, pagesOf } from './pages.ts'
import { PATHS } from './paths.ts'
import type { CallOptions, PayoutsQuery } from './requests.ts'
import type { PayoutIntent, PayoutList } from './resources.ts'

export interface CancelPayoutOptions extends CallOptions {
  readonly reason?: string | undefined
}

export interface PagesOptions extends CallOptions {
  /** Where to start: the `nextCursor` of an earlier page. */
  readonly cursor?: string | undefined
  /** The number of payouts to read in all. The last request asks only for those that are left. */
  readonly most?: number | undefined
}

export interface Payouts {
  list(query?: PayoutsQuery, options?: CallOptions): Call<PayoutList>
  pages(query?: PayoutsQuery, options?: PagesOptions): AsyncGenerator<Page, void, void>
  /** Never repeated: a cancelled payout cannot be cancelled again. */
  cancel(id: string, options?: CancelPayoutOptions): Call<PayoutIntent>
}

const CANCEL: NamesOf<CancelPayoutOptions> = { ...CALL_OPTIONS, reason: true }
const PAGES: NamesOf<PagesOptions> = { ...CALL_OPTIONS, cursor: true, most: true }

export function payouts(caller: Caller): Payouts {
  const list: Payouts['list'] = (query = {}, options = {}) =>
    orReject(() => {
      demandKnown('payouts.list()', options, CALL_OPTIONS)
      return caller.call({
        method: 'GET',
        path: PATHS.payouts,
        query: query as Query,
        expected: { resource: 'PayoutList' },
        signal: options.signal,
      })
    })
  return {
    list,
    async *pages(query = {}, options = {}) {
      demandKnown('payouts.pages()', options, PAGES)
      const { cursor, signal, most } = options
      yield* pagesOf(filters => list(filters, { signal }).answer(), query, { from: cursor, most })
    },
    cancel: (id, options = {}) =>
      orReject(() => {
        demandKnown('payouts.cancel()', options, CANCEL)
        return caller.call({
          method: 'POST',
          path: fill(PATHS.cancelPayout, { id }),
          body: { reason: options.reason },
          expected: { resource: 'PayoutIntent', id },
          signal: options.signal,
        })
      }),
  }
}
