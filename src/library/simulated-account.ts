import type {
  AccountControl,
  Archive,
  Catalogue,
  CheckoutMode,
  ClockSetting,
  Environment,
  ProviderRule,
} from '../client/control-client.ts'
import type { Client } from '../client/index.ts'
import type { Webhooks } from './webhooks.ts'

/** The settings of a new account. Members that are left out have the simulator's defaults. */
export interface AccountSettings {
  /** The merchant's id; the account's own is `<id>.<environment>`. */
  readonly id?: string
  readonly name?: string
  /** `test` by default. */
  readonly environment?: Environment
  readonly clock?: ClockSetting
  readonly rules?: readonly ProviderRule[]
  readonly catalogue?: Catalogue
  readonly checkoutModes?: readonly CheckoutMode[]
  readonly seed?: number | string
  /** Whether the account gets a webhook receiver; true by default. */
  readonly webhooks?: boolean
}

/**
 * One merchant in one environment, with the calls of all sides: merchant, payer, provider, operator, webhook
 * receiver.
 */
export interface SimulatedAccount
  extends Pick<
    AccountControl,
    | 'clock'
    | 'payments'
    | 'payouts'
    | 'assets'
    | 'rules'
    | 'faults'
    | 'catalogue'
    | 'history'
    | 'providerCalls'
    | 'requests'
    | 'events'
    | 'deliveries'
    | 'redeliver'
    | 'timers'
    | 'export'
  > {
  /** `<merchant>.<environment>`. */
  readonly id: string
  readonly merchant: string
  readonly environment: Environment
  readonly publicKey: string
  readonly secretKey: string
  /** The address of the merchant API. */
  readonly baseUrl: string
  /** The merchant API, with the account's keys. */
  readonly client: Client
  readonly webhooks: Webhooks
  /** All calls of the control surface for this account, including those that are left out here. */
  readonly control: AccountControl
  import(archive: Archive): Promise<{ account: string; entries: number }>
  /** Empties the account; its keys stay the same. */
  reset(): Promise<{ account: string }>
  /** Closes its connections and its receiver, and removes the merchant if `createAccount` created it. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}
