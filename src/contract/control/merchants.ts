import * as Type from '@sinclair/typebox'
import { named, nullable, object, oneOf, type Wire } from '../schema.ts'
import { CHECKOUT_MODES, ENVIRONMENTS } from '../statuses.ts'
import { Catalogue } from './catalogue.ts'
import { MerchantBody } from './requests.ts'
import { ProviderRule } from './rules.ts'
import { EndpointRecord } from './webhooks.ts'

/** Merchants, their accounts and their keys. */

export const KeyPairRecord = named(
  'KeyPairRecord',
  object({ public_key: Type.String(), secret_key: Type.String() }),
)
export type KeyPairRecord = Wire<typeof KeyPairRecord>

export const MerchantRecord = named(
  'MerchantRecord',
  object({
    id: Type.String(),
    name: Type.String(),
    checkout_modes: Type.Array(oneOf(CHECKOUT_MODES)),
    accounts: Type.Array(
      object({
        id: Type.String({ description: '<merchant>.<environment>' }),
        environment: oneOf(ENVIRONMENTS),
        public_key: nullable(Type.String({ description: 'null once every key was revoked' })),
        secret_key: nullable(Type.String()),
        more_keys: Type.Optional(Type.Array(KeyPairRecord)),
        webhook_endpoints: Type.Optional(
          Type.Array(EndpointRecord, {
            description: 'those that the call asked for which created the merchant',
          }),
        ),
      }),
    ),
  }),
)
export type MerchantRecord = Wire<typeof MerchantRecord>

/** A request for a merchant. The server checks rules and catalogue itself, so here they have only a shape. */
export const NewMerchant = named(
  'NewMerchant',
  object({
    ...MerchantBody.properties,
    rules: Type.Optional(Type.Array(named('ProviderRule', ProviderRule))),
    catalogue: Type.Optional(named('Catalogue', Catalogue)),
  }),
)
export type NewMerchant = Wire<typeof NewMerchant>
