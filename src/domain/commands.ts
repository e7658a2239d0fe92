import type { FaultRule } from '../contract/control/faults.ts'
import type { ProviderRule } from '../contract/control/rules.ts'
import type { CreatePaymentRequest } from '../contract/requests.ts'
import type { PayoutStatus } from '../contract/statuses.ts'
import type { CatalogueData } from './catalogue.ts'
import type { ClockSetting, TimedCommand } from './events.ts'
import type { Asset, AttemptResult, Customer, MethodOptions, StoredImage } from './model.ts'

export type { ClockSetting, TimedCommand }

/** A key that makes a retry safe: the same scope and fingerprint get the stored answer. */
export interface IdempotencyKey {
  /** Method, path and key, within one account. */
  readonly scope: string
  readonly fingerprint: string
  /** The request that led to a stored refusal. */
  readonly requestId: string
}

interface Repeatable {
  readonly idempotency?: IdempotencyKey | undefined
}

/** A request for a change, in the imperative. */
export type Command =
  | TimedCommand
  | ({ readonly type: 'CreatePayment'; readonly request: CreatePaymentRequest } & Repeatable)
  | ({ readonly type: 'RequestCancel'; readonly payment: string } & Repeatable)
  | ({ readonly type: 'SubmitReceipt'; readonly payment: string; readonly image: ReceiptSource } & Repeatable)
  | {
      readonly type: 'ChooseMethod'
      readonly payment: string
      readonly method: string
      readonly options: MethodOptions
      readonly customer: Customer
    }
  | ({ readonly type: 'CreatePayout'; readonly payout: NewPayout } & Repeatable)
  | { readonly type: 'StoreAsset'; readonly kind: Asset['kind']; readonly image: StoredImage }
  | {
      readonly type: 'AddEndpoint'
      readonly url: string
      readonly events: readonly string[] | null
      /** The secret that signs; generated if none is given. */
      readonly secret?: string
    }
  | { readonly type: 'RotateEndpointSecret'; readonly endpoint: string; readonly overlapMs: number }
  | { readonly type: 'RemoveEndpoint'; readonly endpoint: string }
  | {
      readonly type: 'SendEvent'
      readonly name: string
      readonly data: Readonly<Record<string, unknown>>
    }
  | { readonly type: 'Redeliver'; readonly delivery: string }
  | {
      readonly type: 'RecordAttempt'
      readonly delivery: string
      readonly attempt: number
      readonly result: Omit<AttemptResult, 'at'>
    }
  | {
      readonly type: 'ReplaceFaults'
      readonly faults: readonly FaultRule[]
      /** Refused unless these are set. */
      readonly insteadOf?: readonly FaultRule[] | undefined
    }
  | {
      readonly type: 'ReplaceRules'
      readonly rules: readonly ProviderRule[] | null
      /** Refused unless these are in force. */
      readonly insteadOf?: readonly ProviderRule[] | undefined
    }
  | { readonly type: 'PutRulesInFront'; readonly rules: readonly ProviderRule[] }
  | { readonly type: 'ReplaceCatalogue'; readonly catalogue: CatalogueData }
  | { readonly type: 'SetProviderHealth'; readonly provider: string; readonly healthy: boolean }
  | { readonly type: 'SetClock'; readonly clock: ClockSetting }

export type CommandOf<T extends Command['type']> = Extract<Command, { type: T }>

export type ReceiptSource = { readonly asset: string } | { readonly upload: StoredImage }

export interface NewPayout {
  readonly amount: string
  readonly currency: string
  readonly country: string
  readonly merchantReference: string
  readonly recipient: {
    readonly bankCode: string
    readonly holderName: string
    readonly accountNumber: string
  }
  readonly status: PayoutStatus
  readonly createdAt: number | null
}

/** Who sent the command. */
export type Actor = 'merchant' | 'payer' | 'operator' | 'timer' | 'courier'
