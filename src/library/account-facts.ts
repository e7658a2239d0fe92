import type { Environment, MerchantRecord } from '../client/control-client.ts'

/** The address and the keys of one account. */
export interface AccountFacts {
  readonly id: string
  readonly merchant: string
  readonly environment: Environment
  readonly publicKey: string
  readonly secretKey: string
}

/** The facts of each account of a merchant that has keys. */
export function allFacts({ id: merchant, accounts }: MerchantRecord): AccountFacts[] {
  return accounts.flatMap(({ id, environment, public_key: publicKey, secret_key: secretKey }) =>
    publicKey === null || secretKey === null ? [] : [{ id, merchant, environment, publicKey, secretKey }],
  )
}

export function factsOf(merchant: MerchantRecord, environment: string): AccountFacts {
  const facts = allFacts(merchant).find(candidate => candidate.environment === environment)
  if (!facts) throw new Error(`${merchant.id}.${environment} is not an account, or has no keys`)
  return facts
}
