import type { Contract } from '../contract/decisions.ts'
import { ENVIRONMENTS } from '../contract/statuses.ts'
import type { Catalogue } from '../domain/catalogue.ts'
import type { Entry } from '../domain/events.ts'
import type { CheckoutMode, Environment } from '../domain/model.ts'
import type { AccountRuntime } from './account-runtime.ts'
import { IdSource } from './ids.ts'
import type { KeyPair, MerchantRecord } from './merchant-record.ts'
import { drawMerchant, type NewMerchant, setUp } from './new-merchant.ts'
import { accountId, type GatewaySettings, openRuntime } from './open-runtime.ts'
import type { Registry } from './registry.ts'
import { type Archive, adoptArchive, resetAccount } from './replace-history.ts'
import { type AccountStoppedError, ServedAccount } from './served-account.ts'
import { isOfDisk, UnavailableError } from './unavailable.ts'

export interface KeyHolder {
  readonly secretKey: string
  readonly account: ServedAccount
}

export type EntryListener = (runtime: AccountRuntime, entry: Entry) => void

/** All accounts of one server, and their keys. */
export class Gateway {
  readonly #accounts = new Map<string, ServedAccount>()
  readonly #keys = new Map<string, KeyHolder>()
  readonly #listeners = new Set<EntryListener>()
  readonly #making = new Set<string>()
  #ready = false

  private constructor(
    private readonly settings: GatewaySettings,
    private readonly registry: Registry,
  ) {}

  /** Reads the list of merchants. `load` opens their accounts. */
  static async open(settings: GatewaySettings): Promise<Gateway> {
    const registry = await settings.store.openRegistry()
    const gateway = new Gateway(settings, registry)
    for (const merchant of registry.merchants)
      for (const environment of ENVIRONMENTS) {
        const stoppedAt = registry.stoppedAt(accountId(merchant.id, environment))
        gateway.#serve(merchant, environment, () => gateway.#open(merchant, environment, stoppedAt))
      }
    return gateway
  }

  /**
   * Opens all accounts, and starts their timers and webhooks. The server must know its own address, because webhooks
   * contain it. An account that cannot be opened is reported, and stays stopped; if none can be opened, this throws.
   */
  async load(): Promise<void> {
    const problems: AccountStoppedError[] = []
    for (const account of this.#accounts.values())
      await account.open().catch((problem: AccountStoppedError) => problems.push(problem))
    const [first] = problems
    if (first && problems.length === this.#accounts.size) throw first.cause
    for (const problem of problems) this.#warn(problem)
    this.#ready = true
  }

  get ready(): boolean {
    return this.#ready
  }

  /** The accounts that could not be opened. */
  get stopped(): readonly string[] {
    return [...this.#accounts.values()].flatMap(({ id, stopped }) => (stopped ? id : []))
  }

  get lastPort(): number | undefined {
    return this.registry.lastPort
  }

  rememberPort(port: number): Promise<void> {
    return this.registry.rememberPort(port)
  }

  get contract(): Contract {
    return this.settings.contract
  }

  get catalogue(): Catalogue {
    return this.settings.catalogue
  }

  get merchants(): readonly MerchantRecord[] {
    return this.registry.merchants
  }

  /** The accounts that are open. */
  get runtimes(): readonly AccountRuntime[] {
    return [...this.#accounts.values()].flatMap(({ runtime }) => runtime ?? [])
  }

  merchant(id: string): MerchantRecord | undefined {
    return this.registry.find(id)
  }

  account(id: string): ServedAccount | undefined {
    return this.#accounts.get(id)
  }

  /** Undefined also while it is not open. */
  runtime(account: string): AccountRuntime | undefined {
    return this.#accounts.get(account)?.runtime
  }

  keyHolder(publicKey: string): KeyHolder | undefined {
    return this.#keys.get(publicKey)
  }

  /** Listens to every entry of every account, including future accounts. */
  onEntry(listener: EntryListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Whether this merchant exists or is being created. */
  isTaken(id: string): boolean {
    return this.#making.has(id) || this.registry.find(id) !== undefined
  }

  /** Creates a merchant completely or not at all: it exists when the list of merchants names it. */
  async createMerchant(wanted: NewMerchant): Promise<MerchantRecord> {
    const id = wanted.id ?? this.registry.nextMerchantId(name => this.#making.has(name))
    if (this.isTaken(id)) throw new Error(`merchant ${id} already exists`)
    // Reserves the id before the first await, so that two parallel requests cannot get the same one.
    this.#making.add(id)
    const runtimes: AccountRuntime[] = []
    const { store } = this.settings
    try {
      const merchant = drawMerchant(id, wanted, this.settings.seed)
      const names = accountsOf(id)
      // What an earlier removal could not remove is not part of it.
      await store.removeAccounts(names)
      await store.announceChange(names)
      for (const environment of ENVIRONMENTS) runtimes.push(await this.#open(merchant, environment))
      for (const runtime of runtimes) await setUp(runtime.account, merchant)
      await store.makeSafe(names)
      await this.registry.add(merchant)
      for (const runtime of runtimes)
        await this.#serve(merchant, runtime.account.environment, async () => runtime).open()
      await store.endChange(names).catch(this.#warn)
      return merchant
    } catch (cause) {
      for (const { courier, account } of runtimes) {
        await courier.stop()
        await account.close()
      }
      // If the list may name it after all, its accounts must be there.
      if (!isInDoubt(cause))
        for (const name of accountsOf(id)) await store.removeAccounts([name]).catch(() => {})
      throw isOfDisk(cause) ? new UnavailableError('The merchant', cause) : cause
    } finally {
      this.#making.delete(id)
    }
  }

  changeMerchant(
    id: string,
    change: { name?: string; checkoutModes?: readonly CheckoutMode[] },
  ): Promise<void> {
    return this.registry.update(id, merchant => ({ ...merchant, ...change }))
  }

  /** Removes a merchant. It no longer exists when the list of merchants does not name it. */
  async removeMerchant(id: string): Promise<void> {
    const merchant = this.registry.find(id)
    if (!merchant) return
    const { store } = this.settings
    const names = accountsOf(id)
    // A call that waits for an account finds it open, and then removed.
    for (const name of names)
      await this.account(name)
        ?.open()
        .catch(() => {})
    try {
      await store.announceChange(names)
      await this.registry.remove(id)
    } catch (cause) {
      // If the list may no longer name it, the change is not over.
      if (!isInDoubt(cause)) await store.endChange(names).catch(() => {})
      throw isOfDisk(cause) ? new UnavailableError('The merchant', cause) : cause
    }
    for (const [publicKey, { account }] of this.#keys)
      if (account.merchantId === id) this.#keys.delete(publicKey)
    const accounts = names.flatMap(name => this.#accounts.get(name) ?? [])
    for (const account of accounts) {
      this.#accounts.delete(account.id)
      if (account.runtime) account.runtime.removed = true
    }
    for (const account of accounts) await account.close()
    // A folder that cannot be removed now is marked, and removed at the next start.
    for (const name of names) await store.removeAccounts([name]).catch(this.#warn)
  }

  async addKeys(runtime: AccountRuntime): Promise<KeyPair> {
    const { environment } = runtime.account
    const { seed, keysMade } = this.#record(runtime)
    const pair = new IdSource(seed).newKeyPair(environment, keysMade)
    await this.registry.updateAccount(runtime.merchantId, environment, record => ({
      ...record,
      keys: [...record.keys, pair],
      keysMade: record.keysMade + 1,
    }))
    const account = this.#accounts.get(runtime.account.id)
    if (account) this.#keys.set(pair.publicKey, { secretKey: pair.secretKey, account })
    return pair
  }

  /** At once: the next request with the key is refused. */
  async revokeKey(runtime: AccountRuntime, publicKey: string): Promise<boolean> {
    if (!this.#record(runtime).keys.some(pair => pair.publicKey === publicKey)) return false
    await this.registry.updateAccount(runtime.merchantId, runtime.account.environment, record => ({
      ...record,
      keys: record.keys.filter(pair => pair.publicKey !== publicKey),
    }))
    this.#keys.delete(publicKey)
    return true
  }

  keysOf(runtime: AccountRuntime): readonly KeyPair[] {
    return this.#record(runtime).keys
  }

  /** Empties an account and sets it up as it was created, with the same keys. */
  async reset(runtime: AccountRuntime): Promise<void> {
    await resetAccount(this.settings, runtime, () => this.registry.get(runtime.merchantId))
    await runtime.images.clear().catch(this.#warn)
  }

  /** Replaces an account by an exported one, with its history and seed; the keys stay. */
  adopt(runtime: AccountRuntime, archive: Archive): Promise<void> {
    return adoptArchive(this.settings, runtime, () => this.registry.get(runtime.merchantId), archive)
  }

  async close(): Promise<void> {
    const accounts = [...this.#accounts.values()]
    this.#accounts.clear()
    const times = accounts.flatMap(({ id, runtime }) => {
      const at = runtime ? runtime.account.clock.running : this.registry.stoppedAt(id)
      return at === undefined ? [] : [[id, at]]
    })
    // If it cannot be written, the last entries of the journals still show how far time had come.
    if (times.length > 0) await this.registry.rememberStop(Object.fromEntries(times)).catch(() => {})
    for (const account of accounts) await account.close()
    await this.settings.webhooks.close()
    await this.registry.close()
  }

  #record(runtime: AccountRuntime) {
    return this.registry.get(runtime.merchantId).accounts[runtime.account.environment]
  }

  async #open(
    merchant: MerchantRecord,
    environment: Environment,
    stoppedAt?: number,
  ): Promise<AccountRuntime> {
    const { id } = merchant
    const current = () => this.registry.find(id) ?? merchant
    const runtime = await openRuntime(this.settings, current, environment, stoppedAt)
    runtime.account.onEntry(entry => {
      for (const listener of this.#listeners) listener(runtime, entry)
    })
    runtime.begin()
    return runtime
  }

  #serve(
    { id: merchantId, accounts }: MerchantRecord,
    environment: Environment,
    open: () => Promise<AccountRuntime>,
  ): ServedAccount {
    const account = new ServedAccount(accountId(merchantId, environment), merchantId, open)
    this.#accounts.set(account.id, account)
    for (const { publicKey, secretKey } of accounts[environment].keys)
      this.#keys.set(publicKey, { secretKey, account })
    return account
  }

  readonly #warn = (cause: unknown) =>
    this.settings.warn(cause instanceof Error ? cause.message : String(cause))
}

/** The accounts of a merchant. */
export const accountsOf = (merchant: string) =>
  ENVIRONMENTS.map(environment => accountId(merchant, environment))

const isInDoubt = (cause: unknown) => cause instanceof UnavailableError && cause.inDoubt
