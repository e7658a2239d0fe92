import type { PaymentRecord } from '../contract/control/payments.ts'
import type { PayoutRecord } from '../contract/control/payouts.ts'
import type { FailureReason, NewPayout } from '../contract/control/requests.ts'
import type { PaymentTrigger, PayoutTrigger } from '../contract/statuses.ts'
import type { Call } from './call.ts'
import type { ControlHttp } from './control-http.ts'
import { demandKnown, type NamesOf, orReject } from './options.ts'

/** A part of a list; the whole list by default. */
export interface PageQuery {
  readonly limit?: number | undefined
  readonly cursor?: string | undefined
}

const PAGE: NamesOf<PageQuery> = { limit: true, cursor: true }

/** Calls that read complete payments and payouts, and that act as payer, provider and operator. */

export function paymentCalls(http: ControlHttp, at: string) {
  const path = (id: string) => `${at}/payments/${encodeURIComponent(id)}`
  const trigger = (id: string, name: PaymentTrigger, failure: FailureReason = {}): Call<PaymentRecord> =>
    http.json('POST', `${path(id)}/${name}`, { body: failure })
  return {
    /** All of them, newest first. */
    list: (page: PageQuery = {}) => orReject(() => http.list<PaymentRecord>(paged('payments', at, page))),
    get: (id: string): Call<PaymentRecord> => http.json('GET', path(id)),
    trigger,
    succeed: (id: string) => trigger(id, 'succeed'),
    fail: (id: string, failure?: FailureReason) => trigger(id, 'fail', failure),
    expire: (id: string) => trigger(id, 'expire'),
    presentAction: (id: string) => trigger(id, 'present-action'),
    withdrawAction: (id: string) => trigger(id, 'withdraw-action'),
    acceptReceipt: (id: string) => trigger(id, 'accept-receipt'),
    rejectReceipt: (id: string, failure?: FailureReason) => trigger(id, 'reject-receipt', failure),
    confirmCancel: (id: string) => trigger(id, 'confirm-cancel'),
  }
}

export function payoutCalls(http: ControlHttp, at: string) {
  const path = (id: string) => `${at}/payouts/${encodeURIComponent(id)}`
  const trigger = (id: string, name: PayoutTrigger, failure: FailureReason = {}): Call<PayoutRecord> =>
    http.json('POST', `${path(id)}/${name}`, { body: failure })
  return {
    create: (payout: NewPayout): Call<PayoutRecord> => http.json('POST', `${at}/payouts`, { body: payout }),
    list: (page: PageQuery = {}) => orReject(() => http.list<PayoutRecord>(paged('payouts', at, page))),
    get: (id: string): Call<PayoutRecord> => http.json('GET', path(id)),
    trigger,
    approve: (id: string) => trigger(id, 'approve'),
    succeed: (id: string) => trigger(id, 'succeed'),
    fail: (id: string, failure?: FailureReason) => trigger(id, 'fail', failure),
  }
}

function paged(records: 'payments' | 'payouts', at: string, page: PageQuery): string {
  demandKnown(`${records}.list()`, page, PAGE)
  const path = `${at}/${records}`
  const { limit, cursor } = page
  const query = new URLSearchParams()
  if (limit !== undefined) query.set('limit', String(limit))
  if (cursor !== undefined) query.set('cursor', cursor)
  return query.size === 0 ? path : `${path}?${query}`
}
