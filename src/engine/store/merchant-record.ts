import type { ProviderRule } from '../../contract/control/rules.ts'
import type { CheckoutMode, Environment } from '../../contract/statuses.ts'
import type { CatalogueData } from '../../domain/catalogue.ts'
import { StartError } from './store-errors.ts'

export interface KeyPair {
  readonly publicKey: string
  readonly secretKey: string
}

export interface AccountRecord {
  readonly seed: string
  /** What keys and secrets follow from. A given seed is its own secret. */
  readonly secret?: string
  readonly keys: readonly KeyPair[]
  /** How many key pairs were ever created, so that a revoked key is never issued again. */
  readonly keysMade: number
}

/** What is stored of a merchant besides its journals. */
export interface MerchantRecord {
  readonly id: string
  readonly name: string
  readonly checkoutModes: readonly CheckoutMode[]
  /** Whether the seed was given. Then ids repeat, even after a reset. */
  readonly seeded: boolean
  readonly setup: AccountSetup
  readonly accounts: Readonly<Record<Environment, AccountRecord>>
}

/** The initial settings of the accounts, which a reset restores. */
export interface AccountSetup {
  readonly clock?: { readonly mode: 'real' | 'virtual'; readonly now?: number; readonly rate?: number }
  readonly catalogue?: CatalogueData
  readonly rules?: readonly ProviderRule[]
  readonly webhooks?: readonly {
    readonly url: string
    readonly environment?: Environment
    readonly events?: readonly string[]
  }[]
}

/** It becomes the name of a folder, so it is checked whenever one comes from outside. */
export const MERCHANT_ID = /^[a-z0-9][a-z0-9_-]{0,63}$/

/** Checks a record from a file, which may have been edited. */
export function demandWhole(path: string, merchant: MerchantRecord): MerchantRecord {
  const { id, accounts, setup, checkoutModes } = merchant ?? {}
  const whole =
    typeof id === 'string' &&
    MERCHANT_ID.test(id) &&
    Array.isArray(checkoutModes) &&
    typeof setup === 'object' &&
    [accounts?.test, accounts?.live].every(
      account =>
        typeof account?.seed === 'string' &&
        (account.secret === undefined || typeof account.secret === 'string') &&
        Array.isArray(account.keys),
    )
  if (!whole)
    throw new StartError(`${path} has an invalid merchant: ${JSON.stringify(merchant)?.slice(0, 80)}`)
  return merchant
}
