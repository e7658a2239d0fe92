import { rejection } from '../../contract/errors.ts'
import { ENVIRONMENTS, type Environment } from '../../contract/statuses.ts'
import { Listeners } from '../listeners.ts'
import type { MerchantRecord } from '../store/merchant-record.ts'
import { LossError, StartError, UnavailableError } from '../store/store-errors.ts'
import { type AccountRuntime, accountId } from './open-runtime.ts'

/** So many entries are read in a few hundredths of a second. */
const QUICK_TO_READ = 1024

/** An account cannot be opened, for example because a line of its journal is damaged. Other accounts are served. */
export class AccountStoppedError extends StartError {
  constructor(
    readonly account: string,
    override readonly cause: unknown,
  ) {
    super(`account ${account} is stopped: ${cause instanceof Error ? cause.message : cause}`)
    this.name = 'AccountStoppedError'
  }

  /** The message for callers. The details name files, so only the log has them. */
  get rejection() {
    if (this.cause instanceof LossError) return this.cause.rejectionOf(this.account)
    const message = `The account ${this.account} is stopped, because it could not be opened; the log of paysim has the details`
    return rejection('service_unavailable', message)
  }
}

/** An account of the list. It is opened at its first call, or when a timer of it is due. */
export class ServedAccount {
  publicKeys: readonly string[] = []
  #runtime: AccountRuntime | undefined
  #opening: Promise<AccountRuntime> | undefined
  #closing: Promise<void> | undefined
  #stopped = false
  #removed = false

  constructor(
    readonly id: string,
    readonly merchantId: string,
    private readonly load: () => Promise<AccountRuntime>,
    private readonly onStopped: (problem: AccountStoppedError) => void,
  ) {}

  /** Undefined while it is not open. */
  get runtime(): AccountRuntime | undefined {
    return this.#runtime
  }

  /** Whether only this process has some of its state: a webhook in progress, or the counts of its faults. */
  get busy(): boolean {
    const runtime = this.#runtime
    return runtime !== undefined && (runtime.courier.busy || runtime.account.world.faults.http.length > 0)
  }

  /** Whether it could not be opened. */
  get stopped(): boolean {
    return this.#stopped
  }

  /** Resolves when it is open. Rejects with an `AccountStoppedError` if it cannot be opened. */
  open(): Promise<AccountRuntime> {
    this.#opening ??= this.#open()
    return this.#opening
  }

  /** Its creator has opened it. */
  opened(runtime: AccountRuntime): void {
    this.#runtime = runtime
    this.#opening = Promise.resolve(runtime)
  }

  /** Its merchant was removed. Requests in progress may still hold it, or get it now. */
  remove(): void {
    this.#removed = true
    if (this.#runtime) this.#runtime.removed = true
  }

  async #open(): Promise<AccountRuntime> {
    try {
      await this.#closing
      this.#runtime = await this.load()
      this.#runtime.removed = this.#removed
      return this.#runtime
    } catch (cause) {
      // A store that does not answer now may answer the next call.
      if (cause instanceof UnavailableError) {
        this.#opening = undefined
        throw cause
      }
      this.#stopped = true
      const problem = new AccountStoppedError(this.id, cause)
      // Here, because each caller waits for the same attempt, and the log needs it once.
      this.onStopped(problem)
      throw problem
    }
  }

  /** Writes a checkpoint, unless its next holder would have few entries to read anyway. Calls are answered meanwhile. */
  async shortenTail(): Promise<void> {
    const checkpoints = this.#runtime?.checkpoints
    await checkpoints?.idle()
    if (checkpoints && checkpoints.tail.entries > QUICK_TO_READ) await checkpoints.begin()
  }

  /** Closes it. The next call opens it again. */
  close(): Promise<void> {
    const opening = this.#opening
    this.#opening = undefined
    this.#runtime = undefined
    if (opening) this.#closing = this.#close(opening, this.#closing)
    return this.#closing ?? Promise.resolve()
  }

  async #close(opening: Promise<AccountRuntime>, before: Promise<void> | undefined): Promise<void> {
    await before
    const runtime = await opening.catch(() => undefined)
    if (!runtime) return
    this.#stopped = false
    await runtime.courier.stop()
    await runtime.account.close()
    runtime.rendering.close()
  }
}

export interface KeyHolder {
  readonly secretKey: string
  readonly account: ServedAccount
}

type OpenAccount = (merchant: MerchantRecord, environment: Environment) => Promise<AccountRuntime>

/** The accounts of the listed merchants, by name and by key. */
export class ServedAccounts {
  readonly #accounts = new Map<string, ServedAccount>()
  readonly #keys = new Map<string, KeyHolder>()
  readonly #changes = new Listeners<[]>()

  /** Called when a merchant was added, changed or removed, by whichever process. */
  readonly onChange = this.#changes.add

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
    const accounts = ENVIRONMENTS.map(environment => {
      const id = accountId(merchant.id, environment)
      const account =
        this.#accounts.get(id) ??
        new ServedAccount(id, merchant.id, () => this.open(merchant, environment), this.onStopped)
      this.#accounts.set(id, account)
      this.#give(account, merchant.accounts[environment].keys)
      return account
    })
    this.#changes.tell()
    return accounts
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
      account.remove()
    }
    this.#changes.tell()
    return accounts
  }

  clear(): readonly ServedAccount[] {
    const { all } = this
    this.#accounts.clear()
    return all
  }
}
