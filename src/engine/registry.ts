import { existsSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import { type Adapter, Low, Memory } from 'lowdb'
import { JSONFile } from 'lowdb/node'
import type { CatalogueData } from '../domain/catalogue.ts'
import type { CheckoutMode, Environment } from '../domain/model.ts'
import type { RuleData } from '../domain/rules/schema.ts'
import { StartFault } from './start-fault.ts'
import { Unavailable } from './unavailable.ts'

/** What is small and what people may want to read: merchants, their keys and policies. */

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
  readonly rules?: readonly RuleData[]
  readonly webhooks?: readonly {
    readonly url: string
    readonly environment?: Environment
    readonly events?: readonly string[]
  }[]
}

interface RegistryData {
  readonly version: 1
  /** The port served last: asked for any free one, the server takes it again, so that page addresses hold. */
  readonly lastPort?: number
  merchantsMade: number
  readonly merchants: readonly MerchantRecord[]
}

const EMPTY: RegistryData = { version: 1, merchantsMade: 0, merchants: [] }

export class Registry {
  readonly #byId = new Map<string, MerchantRecord>()
  #lastWrite: Promise<unknown> = Promise.resolve()

  private constructor(
    private readonly db: Low<RegistryData>,
    private readonly path: string | null,
  ) {
    this.#index()
  }

  static async open(path: string | null): Promise<Registry> {
    const adapter: Adapter<RegistryData> = path
      ? new JSONFile<RegistryData>(path)
      : new Memory<RegistryData>()
    const db = new Low<RegistryData>(adapter, structuredClone(EMPTY))
    let held: unknown = EMPTY
    try {
      if (path && existsSync(path)) held = await adapter.read()
      await db.read()
    } catch (cause) {
      throw new StartFault(`${path} cannot be read: ${cause instanceof Error ? cause.message : cause}`)
    }
    // lowdb takes a file that holds null for one that is not there.
    if (held === null || db.data?.version !== 1 || !Array.isArray(db.data.merchants))
      throw new StartFault(`${path} is not a file that this paysim reads; move it away or use another --data`)
    return new Registry(db, path)
  }

  get merchants(): readonly MerchantRecord[] {
    return this.db.data.merchants
  }

  find(id: string): MerchantRecord | undefined {
    return this.#byId.get(id)
  }

  get(id: string): MerchantRecord {
    const merchant = this.find(id)
    if (!merchant) throw new Error(`merchant ${id} is gone`)
    return merchant
  }

  /** A name for a merchant that came without one: the same in each run of the same calls. */
  nextMerchantId(): string {
    let id: string
    do id = `merchant-${++this.db.data.merchantsMade}`
    while (this.find(id))
    return id
  }

  add(merchant: MerchantRecord): Promise<void> {
    return this.#change(data => ({ ...data, merchants: [...data.merchants, merchant] }))
  }

  remove(id: string): Promise<void> {
    return this.#change(data => ({
      ...data,
      merchants: data.merchants.filter(merchant => merchant.id !== id),
    }))
  }

  update(id: string, change: (merchant: MerchantRecord) => MerchantRecord): Promise<void> {
    const merchants = (all: readonly MerchantRecord[]) =>
      all.map(merchant => (merchant.id === id ? change(merchant) : merchant))
    return this.#change(data => ({ ...data, merchants: merchants(data.merchants) }))
  }

  updateAccount(
    id: string,
    environment: Environment,
    change: (account: AccountRecord) => AccountRecord,
  ): Promise<void> {
    return this.update(id, merchant => ({
      ...merchant,
      accounts: { ...merchant.accounts, [environment]: change(merchant.accounts[environment]) },
    }))
  }

  get lastPort(): number | undefined {
    return this.db.data.lastPort
  }

  async rememberPort(lastPort: number): Promise<void> {
    if (this.db.data.lastPort !== lastPort) await this.#change(data => ({ ...data, lastPort }))
  }

  /** One change at a time. What cannot be written is not in force. */
  #change(change: (data: RegistryData) => RegistryData): Promise<void> {
    const write = this.#lastWrite.then(async () => {
      const before = this.db.data
      this.db.data = change(before)
      try {
        await this.db.write()
        // It holds secret keys.
        if (this.path) await chmod(this.path, 0o600)
      } catch (cause) {
        this.db.data = before
        throw new Unavailable('The list of merchants', cause)
      } finally {
        this.#index()
      }
    })
    this.#lastWrite = write.catch(() => {})
    return write
  }

  #index(): void {
    this.#byId.clear()
    for (const merchant of this.db.data.merchants) this.#byId.set(merchant.id, merchant)
  }
}
