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

/** What an account is to be. Everything left out is as the simulator has it for a new merchant. */
export interface AccountSettings {
  /** The merchant's id; the account's own is `<id>.<environment>`. */
  readonly id?: string
  readonly name?: string
  /** `test` unless told otherwise. */
  readonly environment?: Environment
  readonly clock?: ClockSetting
  readonly rules?: readonly ProviderRule[]
  readonly catalogue?: Catalogue
  readonly checkoutModes?: readonly CheckoutMode[]
  readonly seed?: number | string
  /** Whether it gets a receiver of its own, which it does unless told otherwise. */
  readonly webhooks?: boolean
}

/** One merchant in one environment, from all sides: merchant, payer, provider, operator, receiver of webhooks. */
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
  /** Where the merchant API is. */
  readonly baseUrl: string
  /** The merchant API, with the account's keys. */
  readonly client: Client
  readonly webhooks: Webhooks
  /** All that the control surface does with an account, also what is left out here. */
  readonly control: AccountControl
  import(archive: Archive): Promise<{ account: string; entries: number }>
  /** Empty again, with the same keys. */
  reset(): Promise<{ account: string }>
  /** Ends its connections and its receiver; what `createAccount` made is removed from the simulator. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}
