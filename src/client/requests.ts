import type { CheckoutMode, PayoutStatus } from './resources.ts'

/** What a merchant may ask. A member that is undefined is not sent. */

export interface MethodsQuery {
  amount: string
  country: string
  currency: string
  checkout_mode?: CheckoutMode | undefined
  provider?: string | undefined
}

export interface CreatePayment {
  amount: string
  currency: string
  country: string
  customer: { name?: string | undefined; phone?: string | undefined; email?: string | undefined }
  checkout_mode?: CheckoutMode | undefined
  merchant_reference?: string | undefined
  payment_method?: string | undefined
  payment_method_options?:
    | {
        account_name?: string | undefined
        account_number?: string | undefined
        bank?: string | undefined
        name_th?: string | undefined
      }
    | undefined
  return_url?: string | undefined
}

export interface PayoutsQuery {
  country?: string | undefined
  currency?: string | undefined
  created_after?: string | undefined
  created_before?: string | undefined
  merchant_reference?: string | undefined
  status?: PayoutStatus | readonly PayoutStatus[] | undefined
  limit?: number | string | undefined
  cursor?: string | undefined
}

/** What goes with any call. */
export interface CallOptions {
  /** Ends the call, and the pauses between its attempts. */
  signal?: AbortSignal | undefined
}

export interface KeyedCallOptions extends CallOptions {
  /** With a key a call may be repeated: the server answers it once. */
  idempotencyKey?: string | undefined
}
