import { ENVIRONMENTS } from '../contract/statuses.ts'
import type { Environment } from '../domain/model.ts'
import type { AccountRuntime } from './account-runtime.ts'
import type { MerchantRecord } from './merchant-record.ts'
import { accountId } from './open-runtime.ts'
import { type AccountStoppedError, ServedAccount } from './served-account.ts'

export interface KeyHolder {
  readonly secretKey: string
  readonly account: ServedAccount
}

type OpenAccount = (merchant: MerchantRecord, environment: Environment) => Promise<AccountRuntime>

/** The accounts of the listed merchants, by name and by key. */
export class ServedAccounts {
  readonly #accounts = new Map<string, ServedAccount>()
  readonly #keys = new Map<string, KeyHolder>()

  constructor(
    private readonly open: OpenAccount,
    private readonly onStopped: (problem: AccountStoppedError) => void,
  ) {}

  get all(): readonly ServedAccount[] {
    return [...this.#accounts.values()]
  }

  find(id: string): ServedAccount | undefined {
    return this.#accounts.get(id)
  }

  /** The accounts of a merchant, or of all. */
  of(merchant: string | undefined): readonly ServedAccount[] {
    if (merchant === undefined) return this.all
    return ENVIRONMENTS.flatMap(environment => this.find(accountId(merchant, environment)) ?? [])
  }

  keyHolder(publicKey: string): KeyHolder | undefined {
    return this.#keys.get(publicKey)
  }

  /** A merchant as the list has it now, with its keys. */
  serve(merchant: MerchantRecord): readonly ServedAccount[] {
    return ENVIRONMENTS.map(environment => {
      const id = accountId(merchant.id, environment)
      const account =
        this.#accounts.get(id) ??
        new ServedAccount(id, merchant.id, () => this.open(merchant, environment), this.onStopped)
      this.#accounts.set(id, account)
      this.#give(account, merchant.accounts[environment].keys)
      return account
    })
  }

  /** A key that is not new keeps its object, because `Authentication` remembers that object. */
  #give(account: ServedAccount, keys: MerchantRecord['accounts'][Environment]['keys']): void {
    for (const publicKey of account.publicKeys)
      if (!keys.some(pair => pair.publicKey === publicKey)) this.#keys.delete(publicKey)
    for (const { publicKey, secretKey } of keys)
      if (this.#keys.get(publicKey)?.account !== account) this.#keys.set(publicKey, { secretKey, account })
    account.publicKeys = keys.map(({ publicKey }) => publicKey)
  }

  /** Returns the accounts of a merchant that is no longer listed. Requests in progress find them removed. */
  forget(merchant: string): readonly ServedAccount[] {
    const accounts = this.of(merchant)
    for (const account of accounts) {
      this.#accounts.delete(account.id)
      this.#give(account, [])
      if (account.runtime) account.runtime.removed = true
    }
    return accounts
  }

  clear(): readonly ServedAccount[] {
    const { all } = this
    this.#accounts.clear()
    return all
  }
}
