/** What the control surface answers, as far as the dashboard reads it. */

export interface AccountInfo {
  readonly id: string
  readonly environment: 'test' | 'live'
  readonly public_key: string | null
}

export interface Merchant {
  readonly id: string
  readonly name: string
  readonly checkout_modes: readonly string[]
  readonly accounts: readonly AccountInfo[]
}

export interface Move {
  readonly trigger: string
  readonly to: string
}

export interface PaymentRow {
  readonly id: string
  readonly amount: string
  readonly currency: string
  readonly country: string
  readonly checkout_mode: string
  readonly merchant_reference: string | null
  readonly payment_method: string | null
  readonly status: string
  readonly cancelled: boolean
  readonly cancelling: boolean
  readonly receipt: string | null
  readonly failure_code: string | null
  readonly customer_name: string | null
  readonly created_at: string
}

export interface PayoutRow {
  readonly id: string
  readonly amount: string
  readonly currency: string
  readonly merchant_reference: string
  readonly status: string
  readonly bank_code: string
  readonly holder_name: string
  readonly account_last4: string
  readonly failure_code: string | null
  readonly created_at: string
}

export interface NextAction {
  readonly type: string
  readonly url?: string
  readonly qr_data?: string
  readonly qr_image_data_url?: string
  readonly bank?: { readonly code: string; readonly label: string }
  readonly account?: { readonly name: string; readonly number: string }
  readonly reference?: string
  readonly expires_at?: string
}

export interface Payment {
  readonly id: string
  readonly amount: string
  readonly currency: string
  readonly country: string
  readonly checkout_mode: string
  readonly environment: string
  readonly merchant_reference: string | null
  readonly payment_method: string | null
  readonly status: string
  readonly next_action: NextAction | null
  readonly receipt?: { readonly status: string; readonly failure_message?: string } | null
  readonly failure_code?: string | null
  readonly failure_message?: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly customer: Readonly<Record<string, string>>
  readonly payment_method_options: Readonly<Record<string, string>>
  readonly return_url: string | null
  readonly route: {
    readonly id: string
    readonly provider: string
    readonly local_code: string
    readonly action: string
    readonly takes_receipt: boolean
    readonly cancel_pending: boolean
  } | null
  readonly rule: string | null
  readonly receipt_image: { readonly digest: string; readonly submissions: number } | null
  readonly cancel_requested_at: string | null
  readonly cancelled: boolean
  readonly expires_at: string
  readonly moves: readonly Move[]
}

export interface Payout {
  readonly id: string
  readonly amount: string
  readonly currency: string
  readonly country: string
  readonly environment: string
  readonly merchant_reference: string
  readonly status: string
  readonly recipient: {
    readonly type: string
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
  readonly moves: readonly Move[]
}

export interface Command {
  readonly type: string
  readonly trigger?: string
  readonly payment?: string
  readonly payout?: string
  readonly delivery?: string
}

export interface Timer {
  readonly id: string
  readonly due_at: string
  readonly command: Command
}

export interface TimelineChange {
  readonly seq: number
  readonly at: string
  readonly wall_at: string | null
  readonly by: string
  readonly event: string
  readonly status: string | null
  readonly detail: string | null
}

export interface TimelineAttempt {
  readonly delivery: string
  readonly event_type: string | null
  readonly number: number
  readonly url: string
  readonly at: string
  readonly ended_at: string | null
  readonly wall_at: string | null
  readonly status: number | null
  readonly error: string | null
}

export interface TimelineRequest {
  readonly at: string
  readonly wall_at: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly ms: number
  readonly request_id: string
}

/** Something of the timeline, by the list it is in and its place there. */
export interface Happened {
  readonly list: 'changes' | 'provider_calls' | 'requests' | 'attempts'
  readonly nth: number
  readonly at: string
  readonly wall_at: string | null
}

export interface Coming {
  readonly kind: string
  readonly due_at: string | null
  readonly trigger: string | null
  readonly failure: { readonly code?: string; readonly message?: string } | null
  readonly waits_for: string | null
  readonly after_ms: number | null
  readonly held_by: string | null
  readonly attempt: {
    readonly delivery: string
    readonly number: number
    readonly event_type: string | null
    readonly url: string
  } | null
}

export interface Timeline {
  readonly now: string
  /** The rule that matched, whole and as it was then. */
  readonly rule: Readonly<Record<string, unknown>> | null
  readonly changes: readonly TimelineChange[]
  readonly provider_calls: readonly { readonly at: string; readonly call: string }[]
  readonly requests: readonly TimelineRequest[]
  readonly attempts: readonly TimelineAttempt[]
  /** All of them as they happened: causes before effects. */
  readonly order: readonly Happened[]
  readonly to_come: readonly Coming[]
}
