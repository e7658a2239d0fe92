import type { NextAction } from '../contract/resources.ts'

/** What the control surface shows: the merchant's view of a record, and all that it leaves out. */

export type Environment = 'test' | 'live'
export type CheckoutMode = 'hosted' | 'merchant'

export type PaymentTrigger =
  | 'present-action'
  | 'withdraw-action'
  | 'succeed'
  | 'fail'
  | 'expire'
  | 'accept-receipt'
  | 'reject-receipt'
  | 'confirm-cancel'
export type PayoutTrigger = 'approve' | 'succeed' | 'fail' | 'cancel'

/** Why something failed, where the standard reason will not do. */
export interface FailureReason {
  readonly failure_code?: string
  readonly failure_message?: string
}

export interface KeyPairRecord {
  readonly public_key: string
  readonly secret_key: string
}

export interface MerchantRecord {
  readonly id: string
  readonly name: string
  readonly checkout_modes: readonly CheckoutMode[]
  readonly accounts: readonly {
    readonly id: string
    readonly environment: Environment
    /** Null once every key was revoked. */
    readonly public_key: string | null
    readonly secret_key: string | null
    readonly more_keys?: readonly KeyPairRecord[]
  }[]
}

/** Fields that may not apply are null, or absent where the contract says so. */
export interface PaymentRecord {
  readonly id: string
  readonly object: 'payment_intent'
  readonly amount: string
  readonly currency: string
  readonly country: string
  readonly checkout_mode: CheckoutMode
  readonly environment: Environment
  readonly merchant_reference: string | null
  readonly payment_method: string | null
  readonly status: 'pending' | 'processing' | 'succeeded' | 'failed' | 'expired'
  readonly processing_reason?: 'asynchronous' | null
  readonly next_action: NextAction | null
  readonly receipt?: {
    readonly status: 'required' | 'processing' | 'submitted' | 'rejected'
    readonly failure_code?: string
    readonly failure_message?: string
  } | null
  readonly failure_code?: string | null
  readonly failure_message?: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly customer: { readonly name?: string; readonly phone?: string; readonly email?: string }
  readonly payment_method_options: Readonly<Record<string, string>>
  readonly return_url: string | null
  /** The route frozen into the intent, with what it supported then. */
  readonly route: {
    readonly id: string
    readonly provider: string
    readonly local_code: string
    readonly method: string
    readonly action: NextAction['type']
    readonly takes_receipt: boolean
    readonly cancel_pending: boolean
  } | null
  /** The rule that the intent follows, by name. */
  readonly rule: string | null
  readonly instrument: Readonly<Record<string, unknown>> | null
  readonly receipt_image: {
    readonly digest: string
    readonly asset_id: string | null
    readonly submissions: number
  } | null
  readonly cancel_requested_at: string | null
  readonly cancelled: boolean
  readonly expires_at: string
  /** The triggers that its state allows now, and where they lead. */
  readonly moves?: readonly { readonly trigger: PaymentTrigger; readonly to: string }[]
}

export interface PayoutRecord {
  readonly id: string
  readonly object: 'payout_intent'
  readonly amount: string
  readonly currency: string
  readonly country: string
  readonly environment: Environment
  readonly merchant_reference: string
  readonly status: 'requires_approval' | 'processing' | 'succeeded' | 'failed' | 'cancelled'
  readonly recipient: {
    readonly type: 'bank_account'
    readonly bank_code: string
    readonly holder_name: string
    readonly account_last4: string
  }
  readonly failure_code: string | null
  readonly failure_message: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly cancel_reason: string | null
  readonly rule: string | null
  readonly moves?: readonly { readonly trigger: PayoutTrigger; readonly to: string }[]
}

export interface NewPayout {
  readonly amount: string
  readonly currency: string
  readonly country: string
  readonly merchant_reference: string
  readonly recipient: {
    readonly type?: 'bank_account'
    readonly bank_code: string
    readonly holder_name: string
    readonly account_number: string
  }
  readonly status?: PayoutRecord['status']
  readonly created_at?: string
}

export interface AssetRecord {
  readonly id: string
  readonly object: 'asset'
  readonly kind: 'payment_receipt' | 'other'
  readonly digest: string
  readonly size: number
  readonly content_type: string
  readonly payment: string | null
  readonly created_at: string
}
