import type { CreatePaymentRequest } from '../../contract/requests.ts'

type PathsOf<T> = {
  [M in keyof T & string]-?: NonNullable<T[M]> extends object ? `${M}.${keyof NonNullable<T[M]> & string}` : M
}[keyof T & string]

/** The fields of a request that creates a payment, and the option for each. */
export const REQUEST_FIELDS = {
  amount: '--amount',
  currency: '--currency',
  country: '--country',
  checkout_mode: '--checkout-mode',
  payment_method: '--payment-method',
  'payment_method_options.bank': '--option bank=…',
  'payment_method_options.account_name': '--option account_name=…',
  'payment_method_options.account_number': '--option account_number=…',
  'payment_method_options.name_th': '--option name_th=…',
  'customer.name': '--customer-name',
  'customer.phone': '--customer-phone',
  'customer.email': '--customer-email',
  merchant_reference: '--merchant-reference',
  return_url: '--return-url',
} as const satisfies { readonly [F in PathsOf<CreatePaymentRequest>]: string }

export type RequestField = keyof typeof REQUEST_FIELDS

export const FIELD_NAMES = Object.keys(REQUEST_FIELDS) as readonly RequestField[]

export const isRequestField = (name: string): name is RequestField => Object.hasOwn(REQUEST_FIELDS, name)

/** The fields of `payment_method_options`. The list is closed: any other name is a mistake. */
export const OPTION_NAMES = ['bank', 'account_name', 'account_number', 'name_th'] as const

/** What discovery calls each detail of the payer, and the field of the request for it: the names differ. */
export const PAYER_FIELDS = {
  bank: 'payment_method_options.bank',
  account_name: 'payment_method_options.account_name',
  account_number: 'payment_method_options.account_number',
  name_th: 'payment_method_options.name_th',
  customer_name: 'customer.name',
  customer_phone: 'customer.phone',
} as const satisfies Readonly<Record<string, RequestField>>

export const isPayerField = (name: string): name is keyof typeof PAYER_FIELDS =>
  Object.hasOwn(PAYER_FIELDS, name)
