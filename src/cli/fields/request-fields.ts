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

interface TextOption {
  readonly value: string
  readonly help: string
  /** What the command asks for on a terminal. */
  readonly question: string
  /** Its name where the payment is shown before it is created. */
  readonly label: string
}

/** The fields that are one text, which their option takes as it is. */
export const TEXT_FIELDS = {
  'customer.name': {
    value: '<name>',
    help: "the payer's name",
    question: "Payer's name:",
    label: 'Payer',
  },
  'customer.phone': {
    value: '<number>',
    help: "the payer's phone number, such as +66812345678",
    question: "Payer's phone number:",
    label: 'Phone',
  },
  'customer.email': {
    value: '<address>',
    help: "the payer's e-mail address",
    question: "Payer's e-mail address:",
    label: 'E-mail',
  },
  merchant_reference: {
    value: '<text>',
    help: 'your reference for the payment',
    question: 'Your reference:',
    label: 'Reference',
  },
  return_url: {
    value: '<url>',
    help: 'URL that the hosted page sends the payer to at the end; hosted mode only',
    question: 'Return URL for the payer (http or https; leave empty for none):',
    label: 'Return URL',
  },
} as const satisfies { readonly [F in Exclude<RequestField, keyof OtherFields>]: TextOption }

/** Terms and method have options of their own kinds, and `--option` has a part for each detail of the method. */
type OtherFields = {
  [F in RequestField as F extends
    | `payment_method${string}`
    | 'amount'
    | 'currency'
    | 'country'
    | 'checkout_mode'
    ? F
    : never]: true
}

export type TextField = keyof typeof TEXT_FIELDS
export const TEXT_FIELD_NAMES = Object.keys(TEXT_FIELDS) as readonly TextField[]

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
