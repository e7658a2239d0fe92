import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Account } from '../account/account.ts'
import { randomSeed } from '../account/ids.ts'
import { isRunning } from '../store/process-lock.ts'
import { MerchantTakenError, Registry } from '../store/registry.ts'
import type { AccountStore, ServerFacts, SharedSetting, Store } from '../store/store.ts'
import { StartError, StoreError, UnavailableError } from '../store/store-errors.ts'
import type { RealClocks } from '../time/real-time.ts'
import { Database, Outage, refusePooler, startErrorOf, unavailableBy } from './database.ts'
import { type DatabaseAddress, readDatabaseAddress } from './database-address.ts'
import { DatabaseChanges } from './database-changes.ts'
import { DatabaseHolders, merchantOf } from './database-holders.ts'
import type { JournalHead } from './database-journal.ts'
import { Lease, noteAhead, readServing } from './lease.ts'
import { DatabaseImages, openAccount } from './open-account.ts'
import { bringUpToDate } from './schema.ts'

interface DatabaseStoreOptions {
  readonly sync: boolean
  readonly time: RealClocks
  readonly warn: (message: string) => void
  readonly connections?: number
  /** After how many entries the next checkpoint begins. */
  readonly every?: number
  /** Refuses a database that has no data yet, and creates nothing there. */
  readonly mustExist?: boolean
  /** Refuses a database that another process serves. */
  readonly exclusive?: boolean
}

/** As many batches as a server of ordinary size syncs at once. */
const CONNECTIONS = 10
/** Renewals never wait for a batch. */
const LEASE_CONNECTIONS = 2
const LEASE_SILENCE_MS = 2000
/** How many connections one process opens at most. */
export const CONNECTIONS_A_PROCESS = CONNECTIONS + LEASE_CONNECTIONS
/** How long a call waits for an account that another process has just lost. */
const OPEN_WITHIN_MS = 15_000

/** A store in a schema of a PostgreSQL database, which any number of processes serve. */
export class DatabaseStore implements Store {
  /** What this process serves with, from when it agreed on that with the others. */
  #agreed: readonly SharedSetting[] = []
  #onRefused: ((error: StartError) => void) | undefined

  private constructor(
    private readonly address: DatabaseAddress,
    private readonly options: DatabaseStoreOptions,
    private readonly database: Database,
    private readonly leaseDatabase: Database,
    private readonly lease: Lease,
    readonly holders: DatabaseHolders,
    /** For the files of checkpoints, which the database has as well. */
    private readonly folder: string,
  ) {}

  get url(): string {
    return this.address.url
  }

  static async claim(url: string, options: DatabaseStoreOptions): Promise<DatabaseStore> {
    const address = readDatabaseAddress(url)
    const database = new Database(address, {
      connections: options.connections ?? CONNECTIONS,
      sync: options.sync,
    })
    const leaseDatabase = new Database(address, {
      connections: LEASE_CONNECTIONS,
      sync: options.sync,
      silenceMs: LEASE_SILENCE_MS,
    })
    try {
      await refusePooler(database, address)
      await bringUpToDate(database, address, options.mustExist)
      if (options.exclusive) await refuseServed(database, address)
      const node = `${hostname()}-${process.pid}`
      const outage = new Outage(address, options.time.monotonic, options.warn)
      const lease: Lease = new Lease(leaseDatabase, {
        node,
        ...options.time,
        onLapse: () => holders.lapsed(),
        onReturn: id => store.#agreeAgain(id),
        onSetBack: (id, wallMs) => noteAhead(leaseDatabase.ask, id, wallMs),
        onRenewed: () => {
          outage.worked()
          void holders.openDue().catch(() => {})
          void holders.spread().catch(() => {})
        },
      })
      const secret = await keptSecret(database)
      const holders = new DatabaseHolders(database, lease, node, secret, options.time)
      await lease.begin()
      const folder = await makeWorkingFolder()
      const store = new DatabaseStore(address, options, database, leaseDatabase, lease, holders, folder)
      for (const each of [database, leaseDatabase]) each.onFailure = cause => outage.failed(cause)
      return store
    } catch (cause) {
      await database.close()
      await leaseDatabase.close()
      throw startErrorOf(cause, address)
    }
  }

  async openRegistry(): Promise<Registry> {
    const registry = await Registry.open(new DatabaseChanges(this.database, this.url))
    await this.#sweep()
    return registry
  }

  /** Removes what interrupted creations and removals left behind. */
  async #sweep(): Promise<void> {
    const { rows } = await this.database.ask<{ merchant: string }>(
      `SELECT h.merchant FROM holdings h LEFT JOIN processes p ON p.id = h.holder
       WHERE p.ended IS NOT FALSE AND NOT EXISTS (SELECT FROM list l WHERE l.name = h.merchant AND NOT l.gone)`,
    )
    for (const { merchant } of rows) await this.#remove(merchant)
    await this.database.ask(
      `DELETE FROM processes p WHERE ended AND renewed_at < clock_timestamp() - interval '1 minute'
         AND NOT EXISTS (SELECT FROM holdings h WHERE h.holder = p.id)`,
    )
  }

  /** Where it is held, unless by this process; by this one, if nobody did. */
  async #elsewhere(name: string): Promise<string | undefined> {
    try {
      return await this.holders.hold(name, AbortSignal.timeout(OPEN_WITHIN_MS))
    } catch (cause) {
      throw unavailableBy('The account', cause)
    }
  }

  async openAccount(account: Account): Promise<AccountStore> {
    const elsewhere = await this.#elsewhere(account.id)
    const holding = this.holders.holding(account.id)
    if (elsewhere !== undefined || !holding)
      throw new UnavailableError('The account', new StoreError('another process holds it'))
    const { process: writer, term, wallMs } = holding
    try {
      const opened = await this.#open(account, writer, term)
      return { ...opened, images: new DatabaseImages(this.database, account.id), wallMs }
    } catch (cause) {
      // Damage is permanent, but what could not be read now may be readable later.
      const isLasting = cause instanceof StartError || cause instanceof UnavailableError
      throw isLasting ? cause : unavailableBy('The account', cause)
    }
  }

  async #open(account: Account, writer: number, term: number) {
    const { checkpoint, ...standing } = await this.#take(account.id, writer, term)
    return openAccount(account, this.database, {
      ...this.options,
      writer,
      standing,
      checkpoint,
      folder: join(this.folder, `${account.id}-${standing.epoch}`),
      onLost: () => this.holders.lost(account.id),
    })
  }

  /** From now on, an earlier holder of the account can no longer write. */
  async #take(
    account: string,
    writer: number,
    term: number,
  ): Promise<JournalHead & { checkpoint: string | null }> {
    const { rows } = await this.database.ask<TakenRow>(
      `INSERT INTO accounts AS a (id, merchant, writer, epoch, edition, last)
       SELECT $1, merchant, $3, 1, 1, 0 FROM holdings WHERE merchant = $2 AND holder = $3 AND term = $4 FOR SHARE
       ON CONFLICT (id) DO UPDATE SET writer = $3, epoch = a.epoch + 1 RETURNING epoch, edition, seed, last, checkpoint`,
      [account, merchantOf(account), writer, term],
    )
    const [row] = rows
    if (!row) {
      this.holders.lost(account)
      throw new UnavailableError('The account', new StoreError('another process has just taken it'))
    }
    return { ...row, epoch: Number(row.epoch), last: Number(row.last) }
  }

  /** This process holds a new merchant before it writes anything about it. */
  async announceChange(accounts: readonly string[]): Promise<void> {
    for (const merchant of new Set(accounts.map(merchantOf))) {
      if (this.holders.mayAnswer(merchant)) continue
      const elsewhere = await this.#elsewhere(merchant)
      if (elsewhere !== undefined) throw new MerchantTakenError(merchant)
    }
  }

  /** Each write is safe when it is answered. */
  async makeSafe(): Promise<void> {}

  async endChange(): Promise<void> {}

  async removeAccounts(accounts: readonly string[]): Promise<void> {
    for (const account of accounts) if (this.holders.holding(account)) await this.#removeAccount(account)
  }

  async #removeAccount(account: string): Promise<void> {
    const merchant = merchantOf(account)
    await this.database.ask('DELETE FROM accounts WHERE id = $1', [account])
    await this.database.ask('DELETE FROM entries WHERE account = $1', [account])
    await this.database.ask('DELETE FROM images WHERE account = $1', [account])
    await this.database.ask('DELETE FROM files WHERE account = $1', [account])
    const { count } = await this.database.ask(
      'DELETE FROM holdings WHERE merchant = $1 AND NOT EXISTS (SELECT FROM accounts WHERE merchant = $1)',
      [merchant],
    )
    if (count > 0) this.holders.forget(merchant)
  }

  async #remove(merchant: string): Promise<void> {
    const elsewhere = await this.#elsewhere(merchant)
    if (elsewhere !== undefined) return
    const { rows } = await this.database.ask<{ id: string }>('SELECT id FROM accounts WHERE merchant = $1', [
      merchant,
    ])
    for (const { id } of rows) await this.#removeAccount(id)
    await this.database.ask('DELETE FROM holdings WHERE merchant = $1', [merchant])
    this.holders.forget(merchant)
  }

  /** A call about a merchant that was just removed makes this process hold it again. */
  async #forgetRemoved(holder: number): Promise<void> {
    await this.database.ask(
      `DELETE FROM holdings h WHERE holder = $1
         AND NOT EXISTS (SELECT FROM list l WHERE l.name = h.merchant AND NOT l.gone)
         AND NOT EXISTS (SELECT FROM accounts a WHERE a.merchant = h.merchant)`,
      [holder],
    )
  }

  async agree(
    settings: readonly SharedSetting[],
    onRefused?: (error: StartError) => void,
  ): Promise<ReadonlyMap<string, string>> {
    const agreed = await agreeOn(this.database, this.address, this.lease.id, settings)
    this.#agreed = settings.map(setting => ({ ...setting, given: agreed.get(setting.name) }))
    this.#onRefused = onRefused
    return agreed
  }

  /** While this process had no lease, others may have started with settings of their own. */
  async #agreeAgain(id: number): Promise<void> {
    try {
      await agreeOn(this.leaseDatabase, this.address, id, this.#agreed)
    } catch (cause) {
      if (cause instanceof StartError) this.#onRefused?.(cause)
      throw cause
    }
  }

  announce({ listen, advertise = listen }: ServerFacts): Promise<void> {
    return this.lease.announce(advertise)
  }

  async release(): Promise<void> {
    for (const each of [this.database, this.leaseDatabase]) each.onFailure = undefined
    const holder = this.lease.registered ? this.lease.id : null
    await this.lease.release()
    if (holder !== null) await this.#forgetRemoved(holder).catch(() => {})
    await this.database.close()
    await this.leaseDatabase.close()
    await rm(this.folder, { recursive: true, force: true })
  }
}

interface TakenRow {
  readonly epoch: string
  readonly edition: number
  readonly seed: string | null
  readonly last: string
  readonly checkpoint: string | null
}

/** Whether that process holds anything or not: it may take a merchant at any moment. */
async function refuseServed({ ask }: Database, { url }: DatabaseAddress): Promise<void> {
  const [other] = await readServing(ask)
  if (!other) return
  const place = other.address === null ? other.node : `${other.node} at ${other.address}`
  throw new StartError(`another paysim, ${place}, serves ${url}`, 2, 'stop every server that uses it')
}

/** The processes' secret, made by the first of them. */
async function keptSecret({ ask }: Database): Promise<string> {
  await ask(`INSERT INTO cluster VALUES ('secret', $1) ON CONFLICT DO NOTHING`, [randomSeed()])
  const { rows } = await ask<{ value: string }>(`SELECT value FROM cluster WHERE name = 'secret'`)
  return rows[0]?.value ?? ''
}

/**
 * Makes this process and the others use one value of each setting. A process that starts while others serve must have
 * their values; a process that is alone may set new ones.
 */
async function agreeOn(
  { transaction }: Database,
  { url }: DatabaseAddress,
  process: number,
  settings: readonly SharedSetting[],
): Promise<ReadonlyMap<string, string>> {
  return transaction(async ask => {
    // Processes that start at once agree one after the other.
    await ask('LOCK TABLE cluster IN EXCLUSIVE MODE')
    const others = await readServing(ask, process)
    const { rows } = await ask<{ name: string; value: string }>('SELECT name, value FROM cluster')
    const kept = new Map(rows.map(({ name, value }) => [name, value]))
    for (const { name, given, otherwise } of settings) {
      const before = kept.get(name)
      if (before !== undefined && (given === undefined || given === before)) continue
      if (before !== undefined && others.length > 0)
        throw new StartError(
          `the ${name} of this process differs from that of the processes that already serve ${url}: start it with theirs`,
          2,
        )
      const value = given ?? otherwise()
      await ask(
        'INSERT INTO cluster VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
        [name, value],
      )
      kept.set(name, value)
    }
    return kept
  })
}

const NAME = /^paysim-store-(\d+)-/

/** A private folder for copies of data in the database. Removes the folders of killed processes. */
export async function makeWorkingFolder(parent = tmpdir()): Promise<string> {
  for (const name of await readdir(parent)) {
    const pid = NAME.exec(name)?.[1]
    // Only its owner can remove the folder of another user.
    if (pid !== undefined && !isRunning(Number(pid)))
      await rm(join(parent, name), { recursive: true, force: true }).catch(() => {})
  }
  return mkdtemp(join(parent, `paysim-store-${process.pid}-`))
}
