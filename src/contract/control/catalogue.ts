import type { TBoolean, TOptional } from '@sinclair/typebox'
import * as Type from '@sinclair/typebox'
import { ACTION_TYPES, PAYER_FIELDS, type PayerField } from '../resources.ts'
import { givenAmount as amount, named, object, oneOf, type Wire } from '../schema.ts'
import { CHECKOUT_MODES, ENVIRONMENTS } from '../statuses.ts'

/** The methods that a merchant can offer and the routes that carry them, in the form that people write. */

const name = Type.String({ minLength: 1, maxLength: 256 })

const Bank = object({ code: name, label: name, name_th: Type.Optional(name) })
export const CatalogueMethod = object({
  code: name,
  label: name,
  category: name,
  banks: Type.Optional(Type.Array(Bank)),
})
export const CatalogueRoute = object({
  id: name,
  provider: name,
  method: name,
  local_code: name,
  environments: Type.Array(oneOf(ENVIRONMENTS), { minItems: 1 }),
  country: Type.String({ pattern: '^[A-Z]{2}$' }),
  currency: Type.String({ pattern: '^[A-Z]{3,6}$' }),
  min_amount: Type.Optional(amount),
  max_amount: Type.Optional(amount),
  checkout_modes: Type.Array(oneOf(CHECKOUT_MODES), { minItems: 1 }),
  action: oneOf(ACTION_TYPES),
  action_after: Type.Optional(Type.String()),
  payer: Type.Optional(
    object(
      Object.fromEntries(PAYER_FIELDS.map(field => [field, Type.Optional(Type.Boolean())])) as Record<
        PayerField,
        TOptional<TBoolean>
      >,
    ),
  ),
  banks: Type.Optional(Type.Record(Type.String(), name)),
  receipt: Type.Optional(oneOf(['required', 'none'])),
  cancel_pending: Type.Boolean(),
})
export const CatalogueProvider = object({ id: name, healthy: Type.Optional(Type.Boolean()) })
export const Catalogue = object({
  providers: Type.Array(CatalogueProvider),
  methods: Type.Array(CatalogueMethod),
  routes: Type.Array(CatalogueRoute),
})

export type Catalogue = Wire<typeof Catalogue>
export type CatalogueMethod = Wire<typeof CatalogueMethod>
export type CatalogueProvider = Wire<typeof CatalogueProvider>
export type CatalogueRoute = Wire<typeof CatalogueRoute>

/** The catalogue in force, with the current health of each provider. */
export const ProviderHealth = named('ProviderHealth', object({ id: name, healthy: Type.Boolean() }))
export type ProviderHealth = Wire<typeof ProviderHealth>
export const CatalogueState = named(
  'CatalogueState',
  object({
    ...Catalogue.properties,
    providers: Type.Array(ProviderHealth),
  }),
)
export type CatalogueState = Wire<typeof CatalogueState>
