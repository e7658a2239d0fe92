import type { ControlHttp } from './control-http.ts'
import type {
  FailureReason,
  NewPayout,
  PaymentRecord,
  PaymentTrigger,
  PayoutRecord,
  PayoutTrigger,
} from './control-records.ts'

/** The calls that read payments and payouts whole, and that play payer, provider and operator. */

export function paymentCalls(http: ControlHttp, at: string) {
  const path = (id: string) => `${at}/payments/${encodeURIComponent(id)}`
  const trigger = (id: string, name: PaymentTrigger, failure: FailureReason = {}): Promise<PaymentRecord> =>
    http.json('POST', `${path(id)}/${name}`, { body: failure })
  return {
    /** All of them, newest first. */
    list: async (): Promise<PaymentRecord[]> =>
      (await http.json<{ data: PaymentRecord[] }>('GET', `${at}/payments`)).data,
    get: (id: string): Promise<PaymentRecord> => http.json('GET', path(id)),
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
  const trigger = (id: string, name: PayoutTrigger, failure: FailureReason = {}): Promise<PayoutRecord> =>
    http.json('POST', `${path(id)}/${name}`, { body: failure })
  return {
    create: (payout: NewPayout): Promise<PayoutRecord> =>
      http.json('POST', `${at}/payouts`, { body: payout }),
    list: async (): Promise<PayoutRecord[]> =>
      (await http.json<{ data: PayoutRecord[] }>('GET', `${at}/payouts`)).data,
    get: (id: string): Promise<PayoutRecord> => http.json('GET', path(id)),
    trigger,
    approve: (id: string) => trigger(id, 'approve'),
    succeed: (id: string) => trigger(id, 'succeed'),
    fail: (id: string, failure?: FailureReason) => trigger(id, 'fail', failure),
  }
}
