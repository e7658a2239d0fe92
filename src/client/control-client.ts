import type { DecisionsInForce } from '../contract/control/decisions.ts'
import type * as wire from '../contract/control/merchants.ts'
import type { MerchantRecord } from '../contract/control/merchants.ts'
import type { Nodes } from '../contract/control/nodes.ts'
import type { MerchantPatch } from '../contract/control/requests.ts'
import type { Call } from './call.ts'
import { type AccountControl, accountControl } from './control-account.ts'
import { type ControlAddress, ControlHttp, type ControlSettings } from './control-http.ts'
import { type ClockSetting, clockBody } from './control-script-calls.ts'

export type * from '../contract/control/catalogue.ts'
export type * from '../contract/control/clock.ts'
export type * from '../contract/control/decisions.ts'
export type * from '../contract/control/faults.ts'
export type * from '../contract/control/journal.ts'
export type * from '../contract/control/merchants.ts'
export type * from '../contract/control/nodes.ts'
export type * from '../contract/control/payments.ts'
export type * from '../contract/control/payouts.ts'
export type * from '../contract/control/requests.ts'
export type * from '../contract/control/rules.ts'
export type * from '../contract/control/webhooks.ts'
export type { CheckoutMode } from '../contract/requests.ts'
export type { Environment, PaymentTrigger, PayoutTrigger } from '../contract/statuses.ts'
export type { AccountControl } from './control-account.ts'
export { ControlError, ControlUnreachableError } from './control-error.ts'
export type { ControlAddress } from './control-http.ts'
export type { AdvanceGoal, ClockSetting } from './control-script-calls.ts'

/** A new merchant, as in the API, except that the clock may be just its mode. */
export type NewMerchant = Omit<wire.NewMerchant, 'clock'> & { readonly clock?: ClockSetting }

/** A typed client for the control surface of any simulator. */
export class ControlClient {
  readonly #http: ControlHttp

  constructor(address: ControlAddress, settings: ControlSettings = {}) {
    this.#http = new ControlHttp(address, settings)
  }

  readonly merchants = {
    create: ({ clock, ...merchant }: NewMerchant = {}): Call<MerchantRecord> =>
      this.#http.json('POST', '/merchants', {
        body: { ...merchant, ...(clock === undefined ? {} : { clock: clockBody(clock) }) },
      }),
    list: () => this.#http.list<MerchantRecord>('/merchants'),
    get: (id: string): Call<MerchantRecord> => this.#http.json('GET', merchantPath(id)),
    change: (id: string, change: MerchantPatch): Call<MerchantRecord> =>
      this.#http.json('PATCH', merchantPath(id), { body: change }),
    /** Removes the merchant with all of its records. */
    remove: (id: string): Call<void> => this.#http.json('DELETE', merchantPath(id)),
  }

  /** The calls for one account, `<merchant>.<environment>`. It does not need to exist yet. */
  account(id: string): AccountControl {
    return accountControl(this.#http, id)
  }

  health(): Call<{ status: string }> {
    return this.#http.json('GET', '/health')
  }

  ready(): Call<{ status: string }> {
    return this.#http.json('GET', '/ready')
  }

  /** Metrics in the format of Prometheus. */
  metrics(): Promise<string> {
    return this.#http.text('/metrics')
  }

  /** The processes that serve the same database, and who holds which merchant. */
  nodes(): Call<Nodes> {
    return this.#http.json('GET', '/nodes?limit=200')
  }

  openapi(): Call<Record<string, unknown>> {
    return this.#http.json('GET', '/openapi.json')
  }

  /** The decisions in force for questions that the interface document leaves open. */
  contract(): Call<DecisionsInForce> {
    return this.#http.json('GET', '/contract')
  }

  /** A link that signs a browser in to the dashboard, once. */
  dashboardLink(): Call<{ url: string; expires_in_ms: number }> {
    return this.#http.json('POST', '/dashboard/links')
  }

  /** Closes its connections, including streams. */
  close(): Promise<void> {
    return this.#http.close()
  }
}

const merchantPath = (id: string) => `/merchants/${encodeURIComponent(id)}`
