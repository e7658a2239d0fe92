import type { EventChoice } from '../contract/event-names.ts'
import type { Call } from './call.ts'
import { type AccountControl, accountControl } from './control-account.ts'
import { type ControlAddress, ControlHttp, type ControlSettings } from './control-http.ts'
import type { CheckoutMode, Environment, MerchantRecord } from './control-records.ts'
import type { Catalogue, ClockSetting, ProviderRule } from './control-script.ts'
import { clockBody } from './control-script-calls.ts'

export type { AccountControl } from './control-account.ts'
export { ControlError, ControlUnreachableError } from './control-error.ts'
export type { ControlAddress } from './control-http.ts'
export type * from './control-journal.ts'
export type * from './control-records.ts'
export type * from './control-script.ts'

export interface NewMerchant {
  readonly id?: string
  readonly name?: string
  readonly checkout_modes?: readonly CheckoutMode[]
  readonly clock?: ClockSetting
  readonly seed?: number | string
  readonly rules?: readonly ProviderRule[]
  readonly catalogue?: Catalogue
  readonly webhooks?: readonly {
    readonly url: string
    readonly environment?: Environment
    readonly events?: readonly EventChoice[]
  }[]
}

/** A typed caller of the whole control surface of a simulator, wherever it runs. */
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
    change: (
      id: string,
      change: { readonly name?: string; readonly checkout_modes?: readonly CheckoutMode[] },
    ): Call<MerchantRecord> => this.#http.json('PATCH', merchantPath(id), { body: change }),
    /** With all its records. */
    remove: (id: string): Call<void> => this.#http.json('DELETE', merchantPath(id)),
  }

  /** The calls about one account, `<merchant>.<environment>`. It need not exist yet. */
  account(id: string): AccountControl {
    return accountControl(this.#http, id)
  }

  health(): Call<{ status: string }> {
    return this.#http.json('GET', '/health')
  }

  ready(): Call<{ status: string }> {
    return this.#http.json('GET', '/ready')
  }

  /** Prometheus text. */
  metrics(): Promise<string> {
    return this.#http.text('/metrics')
  }

  openapi(): Call<Record<string, unknown>> {
    return this.#http.json('GET', '/openapi.json')
  }

  /** The decisions in force where the interface document is silent. */
  contract(): Call<Record<string, { value: string; kind: 'switch' | 'constant' }>> {
    return this.#http.json('GET', '/contract')
  }

  /** A link that signs a browser in to the dashboard, once. */
  dashboardLink(): Call<{ url: string; expires_in_ms: number }> {
    return this.#http.json('POST', '/dashboard/links')
  }

  /** Ends its connections; streams with them. */
  close(): Promise<void> {
    return this.#http.close()
  }
}

const merchantPath = (id: string) => `/merchants/${encodeURIComponent(id)}`
