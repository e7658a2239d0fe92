/**
 * What the merchant interface says, as its callers read it. Plain shapes: the schemas of the contract load a
 * validator. Every list of values is open, since a real base URL may know more than this project does, and a
 * field that may not apply is null or absent, as the server has decided.
 */
export type Open<Known extends string> = Known | (string & {})
type MayNotApply<T> = T | null | undefined

export type Environment = Open<'live' | 'test'>
export type CheckoutMode = Open<'hosted' | 'merchant'>
export type PaymentStatus = Open<'pending' | 'processing' | 'succeeded' | 'failed' | 'expired'>
export type PayoutStatus = Open<'requires_approval' | 'processing' | 'succeeded' | 'failed' | 'cancelled'>
export type ReceiptStatus = Open<'required' | 'processing' | 'submitted' | 'rejected'>
export type ActionType = Open<'redirect_to_url' | 'display_qr_code' | 'display_bank_transfer_instructions'>
export type PayerField = Open<
  'account_name' | 'account_number' | 'bank' | 'customer_name' | 'customer_phone' | 'name_th'
>

export interface BankChoice {
  code: string
  label: string
}

/** What the payer is to do. Which fields are there depends on `type`; an unknown type has only that. */
export interface NextAction {
  type: ActionType
  url?: string
  expires_at?: string
  qr_data?: string
  qr_image_url?: string
  qr_image_data_url?: string
  bank?: BankChoice
  account?: { name: string; number: string }
  reference?: string
}

export interface Receipt {
  status: ReceiptStatus
  failure_code?: MayNotApply<string>
  failure_message?: MayNotApply<string>
}

export interface PaymentIntent {
  id: string
  object: 'payment_intent'
  amount: string
  currency: string
  country: string
  checkout_mode: CheckoutMode
  environment: Environment
  merchant_reference?: MayNotApply<string>
  payment_method: string | null
  status: PaymentStatus
  processing_reason?: MayNotApply<Open<'asynchronous'>>
  next_action: NextAction | null
  receipt?: MayNotApply<Receipt>
  failure_code?: MayNotApply<string>
  failure_message?: MayNotApply<string>
  created_at: string
  updated_at: string
}

export interface PayoutIntent {
  id: string
  object: 'payout_intent'
  amount: string
  currency: string
  country: string
  environment: Environment
  merchant_reference: string
  status: PayoutStatus
  recipient: {
    type: Open<'bank_account'>
    bank_code: string
    holder_name: string
    account_last4: string
  }
  failure_code?: MayNotApply<string>
  failure_message?: MayNotApply<string>
  created_at: string
  updated_at: string
}

export interface PayoutList {
  data: PayoutIntent[]
  has_more: boolean
  next_cursor?: MayNotApply<string>
}

export interface PaymentMethod {
  category: Open<'bank_redirect' | 'bank_transfer'>
  code: string
  label: string
  next_action_types: ActionType[]
  options: {
    banks?: BankChoice[]
    payer: { [field in PayerField]?: { required: boolean } }
  }
}

export interface PaymentMethodOptions {
  country: string
  currency: string
  environment: Environment
  methods: PaymentMethod[]
}
