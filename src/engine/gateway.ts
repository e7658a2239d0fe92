import type { ResetBody } from '../contract/control/requests.ts'
import type { Contract } from '../contract/decisions.ts'
import { type CheckoutMode, ENVIRONMENTS, type Environment } from '../contract/statuses.ts'
import type { Catalogue } from '../domain/catalogue.ts'
import type { Entry } from '../domain/events.ts'
import { newKeysOf } from './account/account-secret.ts'
import { type AccountRuntime, accountsOf, type GatewaySettings, openRuntime } from './account/open-runtime.ts'
import { type Archive, adoptArchive, resetAccount } from './account/replace-history.ts'
import { type KeyHolder, type ServedAccount, ServedAccounts } from './account/served-accounts.ts'
import type { Holds } from './holds.ts'
import type { Change } from './store/change-log.ts'
import type { KeyPair, MerchantRecord } from './store/merchant-record.ts'
import { drawMerchant, type NewMerchant, setUp } from './store/new-merchant.ts'
import { MerchantTakenError, type Registry } from './store/registry.ts'
import { isOfDisk, messageOf, UnavailableError } from './store/store-errors.ts'
import { inParallel } from './time/scheduling.ts'
import { WakeUps } from './time/wake-ups.ts'

export type EntryListener = (runtime: AccountRuntime, entry: Entry) => void

/** All accounts of one server, and their keys. */
export class Gateway {
  readonly #warn = (cause: unknown) => this.settings.warn(messageOf(cause))
  readonly #accounts = new ServedAccounts((...place) => this.#openListed(...place), this.#warn)
  readonly #wakeUps: WakeUps
  readonly #listeners = new Set<EntryListener>()
  readonly #making = new Set<string>()
  #opening: Promise<void> | undefined
  #list: Registry | undefined
  #ready = false

  constructor(private readonly settings: GatewaySettings) {
    this.#wakeUps = new WakeUps(settings.time, this.#accounts, this.#warn)
  }

  /** Reads the list of merchants. */
  open(): Promise<void> {
    this.#opening ??= this.#open()
    return this.#opening
  }

  async #open(): Promise<void> {
    const list = await this.settings.store.openRegistry()
    this.#list = list
    for (const merchant of list.merchants) this.#accounts.serve(merchant)
    list.onOthers(change => this.#follow(change))
    this.settings.store.holders?.watch({
      lost: id => this.#accounts.of(id).forEach(account => void account.close()),
      prepareToGive: id => inParallel(this.#accounts.of(id), account => account.shortenTail()),
      isMaking: id => this.#making.has(id),
      mayGive: id => !this.#making.has(id) && !this.#accounts.of(id).some(({ busy }) => busy),
      give: id => inParallel(this.#accounts.of(id), account => account.close()),
      due: account => void this.#openDue(account).catch(this.#warn),
    })
  }

  /** While the list of merchants is read: resolves at its end, and rejects if it cannot be read. */
  get opening(): Promise<void> | undefined {
    return this.#list ? undefined : this.open()
  }

  get #registry(): Registry {
    if (!this.#list) throw new Error('the list of merchants was not read yet')
    return this.#list
  }

  /** Another process has changed the list. */
  #follow(change: Change): void {
    if ('merchant' in change) this.#accounts.serve(change.merchant)
    else if ('removed' in change)
      for (const account of this.#accounts.forget(change.removed)) void account.close()
  }

  async #openDue(account: string): Promise<void> {
    const { holders } = this.settings.store
    if ((await holders?.remoteHolder(account, AbortSignal.timeout(5000))) !== undefined) return
    // Its previous holder may have changed its keys.
    await this.refresh()
    await this.account(account)?.open()
  }

  /** Learns of merchants and keys that other processes made. */
  refresh(): Promise<void> {
    return this.#registry.catchUp()
  }

  /** While a refused change of the list may be found by the next start: resolves when it was removed, if possible. */
  get settled(): Promise<void> | undefined {
    return this.#list?.settled
  }

  /**
   * From now on timers fire: the server knows its own address, which webhooks contain. An account is opened at its first
   * call, or when a timer of it is due; where several processes serve one store, they find out together what is due.
   */
  async load(): Promise<void> {
    const { store } = this.settings
    if (!store.holders) await this.#wakeUps.begin(await store.known?.())
    this.#ready = true
  }

  get ready(): boolean {
    return this.#ready
  }

  get lastPort(): number | undefined {
    return this.#registry.lastPort
  }

  /** Where several processes serve one store, none of them can claim a port for the next start. */
  async rememberPort(port: number): Promise<void> {
    if (!this.settings.store.holders) await this.#registry.rememberPort(port)
  }

  get contract(): Contract {
    return this.settings.contract
  }

  get holds(): Holds {
    return this.settings.holds
  }

  get catalogue(): Catalogue {
    return this.settings.catalogue
  }

  get merchants(): readonly MerchantRecord[] {
    return this.#registry.merchants
  }

  get accounts(): readonly ServedAccount[] {
    return this.#accounts.all
  }

  merchant(id: string): MerchantRecord | undefined {
    return this.#registry.find(id)
  }

  account(id: string): ServedAccount | undefined {
    return this.#accounts.find(id)
  }

  /** Undefined while it is not open. */
  runtime(account: string): AccountRuntime | undefined {
    return this.#accounts.find(account)?.runtime
  }

  keyHolder(publicKey: string): KeyHolder | undefined {
    return this.#accounts.keyHolder(publicKey)
  }

  /** Listens to every entry of every account, including future accounts. */
  onEntry(listener: EntryListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Listens to changes of the list of merchants. */
  readonly onMerchants = this.#accounts.onChange

  /** Creates a merchant completely or not at all: it exists when the list of merchants names it. */
  async createMerchant(wanted: NewMerchant): Promise<MerchantRecord> {
    const id = wanted.id ?? this.#registry.nextMerchantId(name => this.#making.has(name))
    if (this.#making.has(id) || this.#registry.find(id)) throw new MerchantTakenError(id)
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
      // A clock that is set and runs, runs from now on.
      const isLate = store.setsUpLate && merchant.setup.clock?.mode !== 'real'
      await inParallel(isLate ? [] : ENVIRONMENTS, async environment => {
        const runtime = await this.#openAccount(merchant, environment)
        runtimes.push(runtime)
        await setUp(runtime.account, merchant)
      })
      await store.makeSafe(names)
      await this.#registry.add(merchant)
      for (const account of this.#accounts.serve(merchant)) {
        const runtime = runtimes.find(({ account: { id } }) => id === account.id)
        if (runtime) account.opened(runtime)
      }
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

  async changeMerchant(
    id: string,
    change: { name?: string; checkoutModes?: readonly CheckoutMode[] },
  ): Promise<void> {
    await this.#registry.update(id, merchant => ({ ...merchant, ...change }))
    this.#accounts.serve(this.#registry.get(id))
  }

  /** Removes a merchant. It no longer exists when the list of merchants does not name it. */
  async removeMerchant(id: string): Promise<void> {
    const merchant = this.#registry.find(id)
    if (!merchant) return
    const { store } = this.settings
    const names = accountsOf(id)
    // A call that waits for an account finds it open, and then removed.
    if (!store.setsUpLate)
      for (const name of names)
        await this.account(name)
          ?.open()
          .catch(() => {})
    try {
      await store.announceChange(names)
      await this.#registry.remove(id)
    } catch (cause) {
      // If the list may no longer name it, the change stays announced.
      if (!isInDoubt(cause)) await store.endChange(names).catch(() => {})
      throw isOfDisk(cause) ? new UnavailableError('The merchant', cause) : cause
    }
    await inParallel(this.#accounts.forget(id), account => account.close())
    // A folder that cannot be removed now is marked, and removed at the next start.
    for (const name of names) await store.removeAccounts([name]).catch(this.#warn)
  }

  async addKeys(runtime: AccountRuntime): Promise<KeyPair> {
    const { environment } = runtime.account
    const pair = newKeysOf(this.#registry.get(runtime.merchantId), environment)
    await this.#registry.updateAccount(runtime.merchantId, environment, record => ({
      ...record,
      keys: [...record.keys, pair],
      keysMade: record.keysMade + 1,
    }))
    this.#accounts.serve(this.#registry.get(runtime.merchantId))
    return pair
  }

  /** Revokes a key at once: the next request with it is refused. */
  async revokeKey(runtime: AccountRuntime, publicKey: string): Promise<boolean> {
    if (!this.#record(runtime).keys.some(pair => pair.publicKey === publicKey)) return false
    await this.#registry.updateAccount(runtime.merchantId, runtime.account.environment, record => ({
      ...record,
      keys: record.keys.filter(pair => pair.publicKey !== publicKey),
    }))
    this.#accounts.serve(this.#registry.get(runtime.merchantId))
    return true
  }

  keysOf(runtime: AccountRuntime): readonly KeyPair[] {
    return this.#record(runtime).keys
  }

  /** Empties an account and sets it up as it was created, with the same keys and the settings to keep. */
  async reset(runtime: AccountRuntime, keep: ResetBody['keep'] = []): Promise<void> {
    await resetAccount(this.settings, runtime, () => this.#registry.get(runtime.merchantId), keep)
    await runtime.images.clear().catch(this.#warn)
  }

  /** Replaces an account by an exported one, with its history and seed; the keys and the secret stay. */
  adopt(runtime: AccountRuntime, archive: Archive, keepEndpoints = true): Promise<void> {
    const merchant = () => this.#registry.get(runtime.merchantId)
    return adoptArchive(this.settings, runtime, merchant, archive, keepEndpoints)
  }

  async close(): Promise<void> {
    this.#wakeUps.stop()
    const accounts = this.#accounts.clear()
    await inParallel(accounts, account => account.close())
    await this.settings.webhooks.close()
    await this.#list?.close()
  }

  #record(runtime: AccountRuntime) {
    return this.#registry.get(runtime.merchantId).accounts[runtime.account.environment]
  }

  async #openListed(merchant: MerchantRecord, environment: Environment): Promise<AccountRuntime> {
    const runtime = await this.#openAccount(merchant, environment)
    if (this.settings.store.setsUpLate) await setUp(runtime.account, merchant)
    // A change of the list may have been interrupted when it was done.
    await this.settings.store.endChange([runtime.account.id]).catch(this.#warn)
    return runtime
  }

  async #openAccount(merchant: MerchantRecord, environment: Environment): Promise<AccountRuntime> {
    const { id } = merchant
    const current = () => this.#registry.find(id) ?? merchant
    const runtime = await openRuntime(this.settings, current, environment)
    runtime.account.onEntry(entry => {
      for (const listener of this.#listeners) listener(runtime, entry)
    })
    runtime.begin()
    return runtime
  }
}

const isInDoubt = (cause: unknown) => cause instanceof UnavailableError && cause.inDoubt
