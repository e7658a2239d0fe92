import type { Static } from '@sinclair/typebox'
import * as Type from '@sinclair/typebox'
import type { Contract } from './decisions.ts'
import { NOT_BLANK } from './pattern-words.ts'
import { givenAmount as amount, givenCountry as country, givenCurrency as currency, oneOf } from './schema.ts'
import { CHECKOUT_MODES, PAYOUT_STATUSES } from './statuses.ts'

/** What a merchant may send. The descriptions are the second half of a problem's message. */

const mode = oneOf(CHECKOUT_MODES)
const text = (minLength: number, maxLength: number) => Type.String({ minLength, maxLength })
/** Text that is not blank; the payer's pages refuse blank text too. */
const words = Type.String({ minLength: 1, maxLength: 256, pattern: NOT_BLANK })

export const DiscoveryQuery = Type.Object({
  amount,
  country,
  currency,
  checkout_mode: Type.Optional(mode),
  provider: Type.Optional(
    Type.String({
      pattern: '^[a-z0-9][a-z0-9_-]*$',
      minLength: 1,
      maxLength: 64,
      description: 'a provider pin',
    }),
  ),
})
export type DiscoveryQuery = Static<typeof DiscoveryQuery>

const Customer = Type.Object({
  name: Type.Optional(words),
  phone: Type.Optional(words),
  email: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 256,
      pattern: '^[^@]*@[^@]*$',
      description: 'an address with one @',
    }),
  ),
})

const MethodOptions = Type.Object(
  {
    account_name: Type.Optional(words),
    account_number: Type.Optional(words),
    bank: Type.Optional(text(1, 256)),
    name_th: Type.Optional(words),
  },
  { additionalProperties: false },
)

const createFields = {
  amount,
  currency,
  country,
  checkout_mode: Type.Optional(mode),
  customer: Customer,
  payment_method: Type.Optional(text(1, 256)),
  payment_method_options: Type.Optional(MethodOptions),
  return_url: Type.Optional(Type.String({ maxLength: 2048, description: 'an absolute http or https URL' })),
}
export const CreatePaymentOptionalReference = Type.Object({
  ...createFields,
  merchant_reference: Type.Optional(text(1, 256)),
})
const CreatePaymentRequiredReference = Type.Object({ ...createFields, merchant_reference: text(1, 256) })
export type CreatePaymentRequest = Static<typeof CreatePaymentOptionalReference>

export const createPaymentBody = (contract: Contract) =>
  contract['create.merchant_reference'] === 'optional'
    ? CreatePaymentOptionalReference
    : CreatePaymentRequiredReference

export const AssetReceiptBody = Type.Object({ asset_id: Type.String({ minLength: 1 }) })
export type AssetReceiptBody = Static<typeof AssetReceiptBody>

export const CancelPayoutBody = Type.Object({ reason: Type.Optional(text(1, 512)) })
export type CancelPayoutBody = Static<typeof CancelPayoutBody>

/** Query parameters as text; the listing parses dates, limit and cursor. */
export const PayoutListQuery = Type.Object({
  country: Type.Optional(country),
  currency: Type.Optional(currency),
  created_after: Type.Optional(Type.String({ format: 'date-time' })),
  created_before: Type.Optional(Type.String({ format: 'date-time' })),
  merchant_reference: Type.Optional(text(1, 256)),
  status: Type.Optional(Type.Array(oneOf(PAYOUT_STATUSES), { minItems: 1 })),
  limit: Type.Optional(
    Type.String({ pattern: '^([1-9]\\d?|100)$', description: 'a whole number from 1 to 100' }),
  ),
  cursor: Type.Optional(Type.String({ minLength: 1 })),
})
export type PayoutListQuery = Static<typeof PayoutListQuery>
