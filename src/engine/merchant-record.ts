import type { ProviderRule } from '../contract/control/rules.ts'
import type { CatalogueData } from '../domain/catalogue.ts'
import type { CheckoutMode, Environment } from '../domain/model.ts'
import { StartError } from './start-error.ts'

/** What is kept of a merchant beside its journals: keys, policy, and how its accounts begin. */

export interface KeyPair {
  readonly publicKey: string
  readonly secretKey: string
}

export interface AccountRecord {
  readonly seed: string
  readonly keys: readonly KeyPair[]
  /** How many pairs were ever made: a revoked key does not come back. */
  readonly keysMade: number
}

export interface MerchantRecord {
  readonly id: string
  readonly name: string
  readonly checkoutModes: readonly CheckoutMode[]
  /** The seed was given: names repeat, also after a reset. */
  readonly seeded: boolean
  readonly setup: AccountSetup
  readonly accounts: Readonly<Record<Environment, AccountRecord>>
}

/** How the accounts were when they were made, and will be again after a reset. */
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

/** A folder or a file is named by it, so it is checked wherever one comes in from outside. */
export const MERCHANT_ID = /^[a-z0-9][a-z0-9_-]{0,63}$/

/** A record that came from a file that others may have written. */
export function demandWhole(path: string, merchant: MerchantRecord): MerchantRecord {
  const { id, accounts, setup, checkoutModes } = merchant ?? {}
  const whole =
    typeof id === 'string' &&
    MERCHANT_ID.test(id) &&
    Array.isArray(checkoutModes) &&
    typeof setup === 'object' &&
    [accounts?.test, accounts?.live].every(
      account => typeof account?.seed === 'string' && Array.isArray(account.keys),
    )
  if (!whole)
    throw new StartError(`${path} has an invalid merchant: ${JSON.stringify(merchant)?.slice(0, 80)}`)
  return merchant
}
