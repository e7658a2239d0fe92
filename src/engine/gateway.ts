import type { Contract } from '../contract/decisions.ts'
import type { Catalogue } from '../domain/catalogue.ts'
import type { Entry } from '../domain/events.ts'
import type { CheckoutMode, Environment } from '../domain/model.ts'
import { IdSource, randomSeed } from './ids.ts'
import { accountId, type GatewaySettings, openTenant } from './open-tenant.ts'
import { type AccountSetup, type KeyPair, type MerchantRecord, Registry } from './registry.ts'
import type { Tenant } from './tenant.ts'

export interface NewMerchant {
  readonly id?: string | undefined
  readonly name?: string | undefined
  readonly checkoutModes?: readonly CheckoutMode[] | undefined
  readonly seed?: string | undefined
  readonly setup?: AccountSetup | undefined
}

const ENVIRONMENTS: readonly Environment[] = ['test', 'live']
/** Where a seeded account's standing time begins, so that its journal repeats. */
const SEEDED_EPOCH = Date.UTC(2026, 0, 1)

export interface KeyHolder {
  readonly secretKey: string
  readonly tenant: Tenant
}

export type TenantListener = (tenant: Tenant, entry: Entry) => void

/** All accounts of one server, and which key opens which. */
export class Gateway {
  readonly #tenants = new Map<string, Tenant>()
  readonly #keys = new Map<string, KeyHolder>()
  readonly #listeners = new Set<TenantListener>()
  #ready = false

  private constructor(
    private readonly settings: GatewaySettings,
    private readonly registry: Registry,
  ) {}

  static async open(settings: GatewaySettings): Promise<Gateway> {
    const registry = await Registry.open(settings.directory?.registry ?? null)
    const gateway = new Gateway(settings, registry)
    for (const merchant of registry.merchants)
      for (const environment of ENVIRONMENTS) await gateway.#openAccount(merchant, environment)
    gateway.#ready = true
    return gateway
  }

  get ready(): boolean {
    return this.#ready
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

  get tenants(): Iterable<Tenant> {
    return this.#tenants.values()
  }

  merchant(id: string): MerchantRecord | undefined {
    return this.registry.find(id)
  }

  tenant(account: string): Tenant | undefined {
    return this.#tenants.get(account)
  }

  keyHolder(publicKey: string): KeyHolder | undefined {
    return this.#keys.get(publicKey)
  }

  /** Hears every entry of every account, also of those still to be made. */
  onEntry(listener: TenantListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  async createMerchant(wanted: NewMerchant): Promise<MerchantRecord> {
    const id = wanted.id ?? this.registry.nextMerchantId()
    const seed = wanted.seed ?? this.settings.seed
    const setup = wanted.setup ?? {}
    const account = (environment: Environment) => {
      const accountSeed = seed === null ? randomSeed() : `${seed}/${accountId(id, environment)}`
      return { seed: accountSeed, keys: [new IdSource(accountSeed).newKeyPair(environment, 0)], keysMade: 1 }
    }
    const merchant: MerchantRecord = {
      id,
      name: wanted.name ?? nameFrom(id),
      checkoutModes: [...(wanted.checkoutModes ?? ['hosted', 'merchant'])],
      seeded: seed !== null,
      setup,
      accounts: { test: account('test'), live: account('live') },
    }
    await this.registry.add(merchant)
    for (const environment of ENVIRONMENTS) {
      const tenant = await this.#openAccount(merchant, environment)
      await this.#setUp(tenant, merchant)
    }
    return merchant
  }

  changeMerchant(
    id: string,
    change: { name?: string; checkoutModes?: readonly CheckoutMode[] },
  ): Promise<void> {
    return this.registry.update(id, merchant => ({ ...merchant, ...change }))
  }

  async removeMerchant(id: string): Promise<void> {
    const merchant = this.registry.find(id)
    if (!merchant) return
    for (const environment of ENVIRONMENTS) {
      for (const { publicKey } of merchant.accounts[environment].keys) this.#keys.delete(publicKey)
      const name = accountId(id, environment)
      await this.#close(name)
      await this.settings.directory?.removeAccount(name)
    }
    await this.registry.remove(id)
  }

  async addKeys(tenant: Tenant): Promise<KeyPair> {
    const { environment } = tenant.account
    const { seed, keysMade } = this.#record(tenant)
    const pair = new IdSource(seed).newKeyPair(environment, keysMade)
    await this.registry.updateAccount(tenant.merchantId, environment, record => ({
      ...record,
      keys: [...record.keys, pair],
      keysMade: record.keysMade + 1,
    }))
    this.#keys.set(pair.publicKey, { secretKey: pair.secretKey, tenant })
    return pair
  }

  /** At once: the next request with the key is refused. */
  async revokeKey(tenant: Tenant, publicKey: string): Promise<boolean> {
    if (!this.#record(tenant).keys.some(pair => pair.publicKey === publicKey)) return false
    await this.registry.updateAccount(tenant.merchantId, tenant.account.environment, record => ({
      ...record,
      keys: record.keys.filter(pair => pair.publicKey !== publicKey),
    }))
    this.#keys.delete(publicKey)
    return true
  }

  keysOf(tenant: Tenant): readonly KeyPair[] {
    return this.#record(tenant).keys
  }

  /** Empty again, with the same keys, as it was made. */
  async reset(tenant: Tenant): Promise<void> {
    const merchant = this.registry.get(tenant.merchantId)
    await tenant.account.rewrite([])
    await tenant.images.clear()
    // What was before must not be found under a name of now: neither a record, nor a cursor or a page.
    if (!merchant.seeded) await this.#reseed(tenant, randomSeed())
    await this.#setUp(tenant, merchant)
  }

  seedOf(tenant: Tenant): string {
    return this.#record(tenant).seed
  }

  /** Takes over the history and the names of an exported account; the keys stay. */
  async adopt(tenant: Tenant, seed: string, entries: readonly Entry[]): Promise<void> {
    await tenant.account.rewrite(entries)
    await this.#reseed(tenant, seed)
  }

  async #reseed(tenant: Tenant, seed: string): Promise<void> {
    const { environment } = tenant.account
    await this.registry.updateAccount(tenant.merchantId, environment, record => ({ ...record, seed }))
    tenant.account.reseed(seed)
  }

  async close(): Promise<void> {
    for (const id of [...this.#tenants.keys()]) await this.#close(id)
  }

  async #close(id: string): Promise<void> {
    const tenant = this.#tenants.get(id)
    if (!tenant) return
    this.#tenants.delete(id)
    await tenant.courier.stop()
    await tenant.account.close()
  }

  #record(tenant: Tenant) {
    return this.registry.get(tenant.merchantId).accounts[tenant.account.environment]
  }

  async #openAccount({ id, accounts }: MerchantRecord, environment: Environment): Promise<Tenant> {
    const tenant = await openTenant(this.settings, () => this.registry.get(id), environment)
    const { account } = tenant
    this.#tenants.set(account.id, tenant)
    for (const { publicKey, secretKey } of accounts[environment].keys)
      this.#keys.set(publicKey, { secretKey, tenant })
    account.onEntry(entry => {
      for (const listener of this.#listeners) listener(tenant, entry)
    })
    tenant.begin()
    return tenant
  }

  async #setUp(tenant: Tenant, { setup, seeded }: MerchantRecord): Promise<void> {
    const { account } = tenant
    const { clock, catalogue, rules, webhooks } = setup
    if (clock) {
      const start = clock.now ?? (clock.mode === 'virtual' && seeded ? SEEDED_EPOCH : undefined)
      account.setClock(account.clock.change({ mode: clock.mode, at: start, rate: clock.rate }))
    }
    if (catalogue) account.execute({ type: 'ReplaceCatalogue', catalogue }, 'operator')
    if (rules) account.execute({ type: 'ReplaceRules', rules }, 'operator')
    for (const { url, environment, events } of webhooks ?? []) {
      if (environment && environment !== account.environment) continue
      account.execute({ type: 'AddEndpoint', url, events: events ?? null }, 'operator')
    }
    await account.journal.durable(account.world.seq)
  }
}

/** `acme-store` is Acme Store, until somebody says otherwise. */
function nameFrom(id: string): string {
  return id
    .split(/[-_]/)
    .map(word => word.charAt(0).toUpperCase() + word.slice(1))
    .join(' ')
}
