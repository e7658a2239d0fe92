import type { Environment } from '../../contract/statuses.ts'
import type { Change, ChangeLog, WholeList } from './change-log.ts'
import type { AccountRecord, MerchantRecord } from './merchant-record.ts'
import { UnavailableError } from './store-errors.ts'

type Find = (id: string) => MerchantRecord | undefined

interface Waiting {
  /** Called when it is its turn, after all earlier changes. */
  readonly change: (find: Find) => Change | undefined
  readonly resolve: () => void
  readonly reject: (cause: unknown) => void
}

/** Another merchant has this id already, perhaps created by another process just now. */
export class MerchantTakenError extends Error {
  constructor(readonly merchant: string) {
    super(`Merchant ${merchant} exists`)
    this.name = 'MerchantTakenError'
  }
}

/** The list of merchants. A change is safe before it is in force. Changes during a write share the next write. */
export class Registry implements WholeList {
  readonly #byId = new Map<string, MerchantRecord>()
  #lastPort: number | undefined
  #merchantsMade = 0
  #waiting: Waiting[] = []
  #writing: Promise<void> | undefined
  #others: ((change: Change) => void) | undefined

  private constructor(private readonly log: ChangeLog) {}

  static async open(log: ChangeLog): Promise<Registry> {
    const registry = new Registry(log)
    try {
      await log.read(change => {
        registry.#take(change)
        registry.#others?.(change)
      })
    } catch (cause) {
      await registry.close()
      throw cause
    }
    return registry
  }

  /** Called with each change that another process made. */
  onOthers(listener: (change: Change) => void): void {
    this.#others = listener
  }

  /** Learns what other processes have changed. */
  async catchUp(): Promise<void> {
    await this.log.catchUp?.()
  }

  /** While a failed write may have left changes: resolves when they are removed, or cannot be removed now. */
  get settled(): Promise<void> | undefined {
    return this.log.inDoubt ? this.#change(() => undefined).catch(() => {}) : undefined
  }

  get merchants(): readonly MerchantRecord[] {
    return [...this.#byId.values()]
  }

  get size(): number {
    return this.#byId.size
  }

  find(id: string): MerchantRecord | undefined {
    return this.#byId.get(id)
  }

  get(id: string): MerchantRecord {
    const merchant = this.find(id)
    if (!merchant) throw new Error(`merchant ${id} was removed`)
    return merchant
  }

  /** An id for a merchant without one; the same calls always get the same id. */
  nextMerchantId(isTaken: (id: string) => boolean = () => false): string {
    let id: string
    do id = `merchant-${++this.#merchantsMade}`
    while (this.find(id) || isTaken(id))
    return id
  }

  async add(merchant: MerchantRecord): Promise<void> {
    const made = this.#merchantsMade
    await Promise.all([
      ...(made > 0 ? [this.#change(() => ({ merchantsMade: made }))] : []),
      this.#change(find => {
        if (find(merchant.id)) throw new MerchantTakenError(merchant.id)
        return { merchant }
      }),
    ])
  }

  remove(id: string): Promise<void> {
    return this.#change(find => (find(id) ? { removed: id } : undefined))
  }

  update(id: string, change: (merchant: MerchantRecord) => MerchantRecord): Promise<void> {
    return this.#change(find => {
      const merchant = find(id)
      return merchant && { merchant: change(merchant) }
    })
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
    return this.#lastPort
  }

  async rememberPort(lastPort: number): Promise<void> {
    if (this.#lastPort !== lastPort) await this.#change(() => ({ lastPort }))
  }

  /** Takes the list of another store, in one write. */
  async adopt(list: readonly Change[]): Promise<void> {
    await Promise.all(list.map(change => this.#change(() => change)))
  }

  async close(): Promise<void> {
    while (this.#writing) await this.#writing
    await this.log.close()
  }

  #change(change: Waiting['change']): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ change, resolve, reject })
      this.#writing ??= this.#write()
    })
  }

  async #write(): Promise<void> {
    // All changes of this turn of the event loop go into one batch.
    await new Promise(setImmediate)
    while (this.#waiting.length > 0) {
      const batch = this.#waiting
      this.#waiting = []
      await this.#writeBatch(batch)
    }
    this.#writing = undefined
  }

  async #writeBatch(batch: readonly Waiting[]): Promise<void> {
    const [possible, changes] = this.#changesOf(batch)
    try {
      const isToWrite = changes.length > 0 || this.log.inDoubt
      if (isToWrite && !(await this.log.append(changes, this))) return this.#writeBatch(possible)
      for (const change of changes) this.#take(change)
      for (const { resolve } of possible) resolve()
    } catch (cause) {
      const error =
        cause instanceof UnavailableError ? cause : new UnavailableError('The list of merchants', cause)
      for (const { reject } of possible) reject(error)
    }
  }

  /** The changes to write. A change that is no longer possible is refused. */
  #changesOf(batch: readonly Waiting[]): [readonly Waiting[], readonly Change[]] {
    const changed = new Map<string, MerchantRecord | undefined>()
    const find: Find = id => (changed.has(id) ? changed.get(id) : this.find(id))
    const changes: Change[] = []
    const possible = batch.filter(({ change, reject }) => {
      try {
        const made = change(find)
        if (!made) return true
        if ('merchant' in made) changed.set(made.merchant.id, made.merchant)
        if ('removed' in made) changed.set(made.removed, undefined)
        changes.push(made)
        return true
      } catch (cause) {
        reject(cause)
        return false
      }
    })
    return [possible, changes]
  }

  /** The list as the fewest changes that make it. */
  get list(): Change[] {
    return [
      { merchantsMade: this.#merchantsMade },
      ...(this.#lastPort === undefined ? [] : [{ lastPort: this.#lastPort }]),
      ...this.merchants.map(merchant => ({ merchant })),
    ]
  }

  #take(change: Change): void {
    if ('merchant' in change) this.#byId.set(change.merchant.id, change.merchant)
    else if ('removed' in change) this.#byId.delete(change.removed)
    else if ('lastPort' in change) this.#lastPort = change.lastPort
    else if ('merchantsMade' in change)
      this.#merchantsMade = Math.max(this.#merchantsMade, change.merchantsMade)
  }
}
