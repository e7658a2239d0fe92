import type { FileHandle } from 'node:fs/promises'
import { JOURNAL_VERSION } from '../domain/journal-version.ts'
import type { Environment } from '../domain/model.ts'
import { type Numbered, sealLine } from './journal-format.ts'
import { type AccountRecord, demandWhole, type MerchantRecord } from './merchant-record.ts'
import { openPrivate, replaceFile, writeAll } from './private-files.ts'
import { replay } from './replay.ts'
import { UnavailableError } from './unavailable.ts'

/** One line of the list's file: one change. */
type Change =
  | { readonly merchant: MerchantRecord }
  | { readonly removed: string }
  /** The last port: with `--port 0` the server uses it again, so that page addresses stay valid. */
  | { readonly lastPort: number }
  /** How many merchant ids paysim has generated, so that no id is used twice. */
  | { readonly merchantsMade: number }
  /** The time of each account with a running clock when the server stopped. */
  | { readonly stopped: Readonly<Record<string, number>> }

/** Without a data directory, changes are not written. */
export interface RegistryFile {
  readonly path: string
  readonly sync: boolean
  readonly warn: (message: string) => void
}

/** The content of a complete list, which earlier versions stored as one document. */
export interface MerchantList {
  readonly lastPort?: number | undefined
  readonly merchantsMade: number
  readonly merchants: readonly MerchantRecord[]
}

/** The number of obsolete lines after which the file is rewritten. */
const MOST_STALE_LINES = 1_000

type Find = (id: string) => MerchantRecord | undefined

interface Waiting {
  /** Called when it is its turn, after all earlier changes. */
  readonly change: (find: Find) => Change | undefined
  readonly resolve: () => void
  readonly reject: (cause: unknown) => void
}

/**
 * The list of merchants: one line with a checksum for each change, synced before the change is in force. Changes
 * during a write share the next write.
 */
export class Registry {
  readonly #byId = new Map<string, MerchantRecord>()
  #lastPort: number | undefined
  #merchantsMade = 0
  #stopped: Readonly<Record<string, number>> = {}
  #waiting: Waiting[] = []
  #writing: Promise<void> | undefined
  #seq = 0
  #end = 0
  #handle: FileHandle | undefined
  /** Whether a failed write may have left data at the end of the file. */
  #failed = false

  private constructor(private readonly file: RegistryFile | null) {}

  static async open(file: RegistryFile | null): Promise<Registry> {
    const registry = new Registry(file)
    try {
      if (file) await registry.#read(file)
    } catch (cause) {
      await registry.close()
      throw cause
    }
    return registry
  }

  /** A new file that starts with the converted list of an earlier version. */
  static async convert(file: RegistryFile, list: MerchantList): Promise<Registry> {
    const registry = new Registry(file)
    for (const merchant of list.merchants) registry.#take({ merchant: demandWhole(file.path, merchant) })
    registry.#lastPort = list.lastPort
    registry.#merchantsMade = list.merchantsMade
    await registry.#writeAnew(file)
    return registry
  }

  get merchants(): readonly MerchantRecord[] {
    return [...this.#byId.values()]
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
      this.#change(() => ({ merchant })),
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

  rememberStop(stopped: Readonly<Record<string, number>>): Promise<void> {
    return this.#change(() => ({ stopped }))
  }

  /** The time that an account had already reached, even if the wall clock was set back since. */
  stoppedAt(account: string): number | undefined {
    return this.#stopped[account]
  }

  async close(): Promise<void> {
    while (this.#writing) await this.#writing
    await this.#handle?.close()
    this.#handle = undefined
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
      const changed = new Map<string, MerchantRecord | undefined>()
      const find: Find = id => (changed.has(id) ? changed.get(id) : this.find(id))
      const changes = batch.flatMap(({ change }) => {
        const made = change(find) ?? []
        if ('merchant' in made) changed.set(made.merchant.id, made.merchant)
        if ('removed' in made) changed.set(made.removed, undefined)
        return made
      })
      try {
        await this.#append(changes)
        for (const change of changes) this.#take(change)
        for (const { resolve } of batch) resolve()
      } catch (cause) {
        await this.#forget()
        for (const { reject } of batch) reject(new UnavailableError('The list of merchants', cause))
      }
    }
    this.#writing = undefined
  }

  async #append(changes: readonly Change[]): Promise<void> {
    if (!this.file || changes.length === 0) return
    if (this.#seq > MOST_STALE_LINES + 2 * this.#byId.size) await this.#writeAnew(this.file)
    this.#handle ??= await openPrivate(this.file.path, 'append')
    if (this.#failed) await this.#handle.truncate(this.#end)
    this.#failed = true
    const bytes = Buffer.from(changes.map((change, nth) => lineOf(this.#seq + nth + 1, change)).join(''))
    await writeAll(this.#handle, bytes)
    if (this.file.sync) await this.#handle.datasync()
    this.#failed = false
    this.#seq += changes.length
    this.#end += bytes.length
  }

  /**
   * Discards unsafe changes. Even on a full disk a file can be shortened; if that fails too, it is done later.
   */
  async #forget(): Promise<void> {
    if (!this.#failed) return
    await this.#handle?.truncate(this.#end).then(
      () => {
        this.#failed = false
      },
      () => {},
    )
  }

  async #writeAnew(file: RegistryFile): Promise<void> {
    const changes: Change[] = [
      { merchantsMade: this.#merchantsMade },
      ...(this.#lastPort === undefined ? [] : [{ lastPort: this.#lastPort }]),
      { stopped: this.#stopped },
      ...this.merchants.map(merchant => ({ merchant })),
    ]
    const fresh = await replaceFile(
      file.path,
      changes.map((change, nth) => lineOf(nth + 1, change)),
    )
    await this.#handle?.close()
    this.#handle = fresh
    this.#seq = changes.length
    this.#end = (await fresh.stat()).size
  }

  async #read({ path, warn }: RegistryFile): Promise<void> {
    this.#handle = await openPrivate(path, 'append')
    const onEntry = ({ seq: _, v: __, ...change }: Numbered & Change) => {
      if ('merchant' in change) demandWhole(path, change.merchant)
      this.#take(change as Change)
    }
    const { seq, end } = await replay<Numbered & Change>(path, this.#handle, { onEntry, warn })
    this.#seq = seq
    this.#end = end
  }

  #take(change: Change): void {
    if ('merchant' in change) this.#byId.set(change.merchant.id, change.merchant)
    else if ('removed' in change) {
      this.#byId.delete(change.removed)
      // A later merchant with this id has its own time.
      const others = Object.entries(this.#stopped).filter(
        ([account]) => !account.startsWith(`${change.removed}.`),
      )
      this.#stopped = Object.fromEntries(others)
    } else if ('lastPort' in change) this.#lastPort = change.lastPort
    else if ('stopped' in change) this.#stopped = change.stopped
    else this.#merchantsMade = Math.max(this.#merchantsMade, change.merchantsMade)
  }
}

const lineOf = (seq: number, change: Change) =>
  sealLine(JSON.stringify({ v: JOURNAL_VERSION, seq, ...change }))
