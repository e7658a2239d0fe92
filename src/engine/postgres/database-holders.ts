import type {
  CallUnderWay,
  Departure,
  HeldMerchants,
  HeldQuery,
  Holders,
  HoldingListener,
  NodeCounts,
  NodeState,
} from '../store/holders.ts'
import { StoreError } from '../store/store-errors.ts'
import type { RealClocks } from '../time/real-time.ts'
import { inParallel } from '../time/scheduling.ts'
import { type Database, withStoreError } from './database.ts'
import {
  giveHoldings,
  type HoldingRow,
  LEASE_MS,
  type Lease,
  OVERDUE_MS,
  readHeldMerchants,
  readHolding,
  readNodes,
  takeHolding,
} from './lease.ts'
import { type HoldingTimes, homeOf, readPeers, Spread } from './spread.ts'

/** A merchant that this process holds, with both accounts. */
interface Holding extends HoldingTimes {
  /** Grows with each take-over. */
  readonly term: number
  /** The number under which this process took it. */
  readonly process: number
  /** How far the time of its accounts may have come under earlier holders, as a wall clock. */
  readonly wallMs: number
}

const LOOK_AGAIN_MS = 100
/** How long new calls wait for the calls in progress, so that a merchant can move. */
const DRAIN_MS = 100

type Otherwise = 'here' | 'where it belongs'

/**
 * Which process holds which merchant. One process holds both accounts of a merchant and makes every change
 * of the merchant, so it knows all changes.
 */
export class DatabaseHolders implements Holders {
  readonly #held = new Map<string, Holding>()
  readonly #taking = new Map<string, Promise<string | undefined>>()
  readonly #calls = new CallsUnderWay()
  /** Merchants that this process is about to let go. */
  readonly #leaving = new Map<string, Promise<void>>()
  readonly #spread: Spread
  readonly departure: DatabaseDeparture
  #listener: HoldingListener | undefined

  constructor(
    private readonly database: Database,
    private readonly lease: Lease,
    readonly node: string,
    readonly secret: string,
    private readonly time: RealClocks,
  ) {
    this.departure = new DatabaseDeparture(
      database,
      lease,
      async () => this.#listener?.prepareToGive(),
      () => this.#giveAll(),
    )
    this.#spread = new Spread({
      ask: database.ask,
      monotonic: time.monotonic,
      self: () => String(lease.id),
      held: this.#held,
      give: merchant => this.#give(merchant),
    })
  }

  get counts(): NodeCounts {
    return this.lease.counts
  }

  get held(): number {
    return this.#held.size
  }

  nodes(): Promise<readonly NodeState[]> {
    return withStoreError(readNodes(this.database.ask))
  }

  heldMerchants(query: HeldQuery): Promise<HeldMerchants> {
    return withStoreError(readHeldMerchants(this.database.ask, query))
  }

  watch(listener: HoldingListener): void {
    this.#listener = listener
  }

  mayAnswer(account: string): boolean {
    return this.holding(account) !== undefined && this.lease.holds
  }

  /** What this process holds under its current number. */
  holding(account: string): Holding | undefined {
    return this.#holdingOf(merchantOf(account))
  }

  #holdingOf(merchant: string): Holding | undefined {
    const holding = this.#held.get(merchant)
    return holding && this.lease.registered && holding.process === this.lease.id ? holding : undefined
  }

  beginCall(account: string, call: CallUnderWay): boolean {
    const merchant = merchantOf(account)
    const holding = this.#holdingOf(merchant)
    if (!holding || !this.lease.holds || this.#leaving.has(merchant)) return false
    holding.calledAt = call.startedAt
    this.#calls.begin(merchant, call)
    return true
  }

  endCall(account: string, call: CallUnderWay): void {
    this.#calls.end(merchantOf(account), call)
  }

  remoteHolder(account: string, signal: AbortSignal): Promise<string | undefined> {
    return this.#ask(merchantOf(account), 'where it belongs', signal)
  }

  hold(account: string, signal: AbortSignal): Promise<string | undefined> {
    return this.#ask(merchantOf(account), 'here', signal)
  }

  async #ask(merchant: string, otherwise: Otherwise, signal: AbortSignal): Promise<string | undefined> {
    for (let leaving = this.#leaving.get(merchant); leaving; leaving = this.#leaving.get(merchant))
      await ended(leaving, signal)
    if (this.mayAnswer(merchant)) return undefined
    const question = `${merchant} ${otherwise}`
    let taking = this.#taking.get(question)
    if (!taking) {
      taking = withStoreError(this.#find(merchant, otherwise)).finally(() => this.#taking.delete(question))
      this.#taking.set(question, taking)
      // All callers may have disconnected, and then nobody else handles a failure.
      taking.catch(() => {})
    }
    return ended(taking, signal)
  }

  /** Concurrent callers share the answer. It gives up after the time in which two leases in a row could expire. */
  async #find(merchant: string, otherwise: Otherwise): Promise<string | undefined> {
    const until = this.time.monotonic() + 3 * LEASE_MS
    for (;;) {
      if (!this.lease.holds) await this.lease.renew()
      const row = await readHolding(this.database.ask, merchant)
      const isOurs = row?.holder === String(this.lease.id)
      if (isOurs && this.holding(merchant)) return undefined
      if (!row || row.holder === null || row.ended !== false || isOurs) {
        const home = await this.#homeElsewhere(merchant)
        if (home !== undefined && !isOurs && otherwise === 'where it belongs') return home
        if (await this.#take(merchant, row, home !== undefined)) return undefined
        continue
      }
      const age = row.age_ms ?? 0
      if (age < OVERDUE_MS && row.address !== null) return row.address
      if (age >= LEASE_MS) {
        await this.#end(row.holder)
        continue
      }
      if (this.time.monotonic() > until) throw new StoreError(`no process holds ${merchant}`)
      await new Promise(resolve => setTimeout(resolve, LOOK_AGAIN_MS))
    }
  }

  /** Where an unheld merchant belongs, unless it is here. Looked up again, because a process may just have ended. */
  async #homeElsewhere(merchant: string): Promise<string | undefined> {
    const home = homeOf(merchant, await readPeers(this.database.ask))
    return home?.id === String(this.lease.id) ? undefined : home?.address
  }

  /** The lease of another process expired. Notes how far its wall clock may have come by now. */
  async #end(id: string): Promise<void> {
    await this.database.ask(
      `UPDATE processes SET ended = true,
         wall_ms = wall_ms + (extract(epoch FROM clock_timestamp() - renewed_at) * 1000)::float8
       WHERE id = $1 AND NOT ended AND renewed_at <= clock_timestamp() - $2 * interval '1 millisecond'`,
      [id, LEASE_MS],
    )
  }

  /** Takes a merchant that nobody holds, as it was read. False if somebody else was first. */
  async #take(merchant: string, before: HoldingRow | undefined, isGuest: boolean): Promise<boolean> {
    const { id } = this.lease
    const term = Number(before?.term ?? 0) + 1
    if (!(await takeHolding(this.database.ask, { merchant, process: id, term }, before))) return false
    if (before) this.counts.takeovers++
    const takenAt = this.time.monotonic()
    const wallMs = before?.wall_ms ?? 0
    this.#held.set(merchant, { term, process: id, wallMs, isGuest, takenAt, calledAt: takenAt })
    this.#spread.taken(merchant)
    return true
  }

  /** Gives merchants to the processes to which they belong. */
  spread(): Promise<void> {
    return this.#spread.look()
  }

  /** Calls that arrive meanwhile wait, and the next holder answers them. */
  async #give(merchant: string): Promise<boolean> {
    const [holding, listener] = [this.#held.get(merchant), this.#listener]
    if (!holding || !listener?.mayGive(merchant)) return false
    await listener.prepareToGive(merchant)
    // A call that is older than this, such as a stream or an advance, would not end in time.
    const oldest = this.#calls.oldest(merchant) ?? Number.POSITIVE_INFINITY
    if (this.time.monotonic() - oldest > DRAIN_MS) return false
    return this.#whileLeaving([merchant], this.#giveWhenFree(merchant, holding, listener))
  }

  #whileLeaving<T>(merchants: readonly string[], giving: Promise<T>): Promise<T> {
    const over = giving.then(() => {}).catch(() => {})
    for (const merchant of merchants) this.#leaving.set(merchant, over)
    void over.then(() => merchants.forEach(merchant => void this.#leaving.delete(merchant)))
    return giving
  }

  async #giveWhenFree(merchant: string, holding: Holding, listener: HoldingListener): Promise<boolean> {
    if (!(await this.#calls.over(merchant, DRAIN_MS))) return false
    if (!listener.mayGive(merchant) || this.#held.get(merchant) !== holding) return false
    this.#held.delete(merchant)
    await listener.give(merchant)
    // If this fails, this process still holds it, and takes it again at the next call.
    const count = await giveHoldings(this.database.ask, [{ merchant, ...holding }], this.time.wall())
    this.counts.moves += count
    return count > 0
  }

  /** Gives away every merchant whose calls end in time, as this process stops. */
  #giveAll(): Promise<void> {
    const isToGive = (merchant: string) => !this.#leaving.has(merchant) && !this.#listener?.isMaking(merchant)
    const given = [...this.#held.keys()].filter(isToGive)
    return this.#whileLeaving(given, this.#giveThoseThatAreFree(given))
  }

  async #giveThoseThatAreFree(merchants: readonly string[]): Promise<void> {
    const isOver = await Promise.all(merchants.map(merchant => this.#calls.over(merchant, DRAIN_MS)))
    const free = merchants.flatMap((merchant, nth) => {
      const holding = isOver[nth] ? this.#held.get(merchant) : undefined
      return holding ? { merchant, ...holding } : []
    })
    for (const { merchant } of free) this.#held.delete(merchant)
    await inParallel(free, async ({ merchant }) => this.#listener?.give(merchant))
    await giveHoldings(this.database.ask, free, this.time.wall())
  }

  /** Kept for a day longer, because the clocks of the processes may differ. */
  async useOnce(what: string, forMs: number): Promise<boolean> {
    await withStoreError(this.database.ask('DELETE FROM used WHERE ends < clock_timestamp()'))
    const { count } = await withStoreError(
      this.database.ask(
        `INSERT INTO used VALUES ($1, clock_timestamp() + interval '1 day' + $2 * interval '1 millisecond') ON CONFLICT DO NOTHING`,
        [what, forMs],
      ),
    )
    return count > 0
  }

  forget(merchant: string): void {
    this.#held.delete(merchant)
  }

  /** Another process has written to this account, or removed it. */
  lost(account: string): void {
    const merchant = merchantOf(account)
    this.#held.delete(merchant)
    this.#listener?.lost(merchant)
  }

  /** The lease expired: others may have taken everything. */
  lapsed(): void {
    this.#held.clear()
    this.#listener?.lost()
  }

  /** Opens accounts with a timer that is due and that nobody else serves. */
  async openDue(): Promise<void> {
    if (!this.#listener) return
    const { rows } = await this.database.ask<{ id: string }>(
      `SELECT a.id FROM accounts a LEFT JOIN holdings h ON h.merchant = a.merchant LEFT JOIN processes p ON p.id = h.holder
       WHERE a.wake_ms <= (SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float8)
         AND (p.id = $1 OR p.ended IS NOT FALSE OR p.renewed_at <= clock_timestamp() - $2 * interval '1 millisecond')
       ORDER BY p.id IS NOT DISTINCT FROM $1, a.wake_ms LIMIT 100`,
      [this.lease.id, LEASE_MS],
    )
    for (const { id } of rows) this.#listener.due(id)
  }
}

/** Also accepts the id of a merchant. Every call needs this, and no id of a merchant contains a dot. */
export function merchantOf(account: string): string {
  const point = account.indexOf('.')
  return point === -1 ? account : account.slice(0, point)
}

/** The result, or the end of the signal. */
function ended<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) return Promise.reject(signal.reason)
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    result.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

const LOOK_AT_LEAVING_MS = 50
/** A database that does not answer delays a stop by no more than this. */
const NOTE_WITHIN_MS = 1000
/** Nor do accounts with long checkpoints. */
const PREPARE_WITHIN_MS = 4000

interface Row {
  readonly leaving: boolean
  readonly answered_all: boolean
  readonly over: boolean
  readonly recent: boolean
}

/**
 * Tells the other processes, through the store, that this one stops. If that fails, they
 * treat it as a process that was lost.
 */
class DatabaseDeparture implements Departure {
  constructor(
    private readonly database: Database,
    private readonly lease: Lease,
    private readonly prepareToGive: () => Promise<void>,
    private readonly giveAll: () => Promise<void>,
  ) {}

  prepare(): Promise<void> {
    return within(PREPARE_WITHIN_MS, this.prepareToGive())
  }

  async begin(): Promise<void> {
    await this.#note('leaving')
    await within(NOTE_WITHIN_MS, this.giveAll())
  }

  answeredAll(): Promise<void> {
    return this.#note('answered_all')
  }

  async #note(what: 'leaving' | 'answered_all'): Promise<void> {
    if (!this.lease.registered) return
    const noted = this.database.ask(`UPDATE processes SET ${what} = true WHERE id = $1`, [this.lease.id])
    await within(NOTE_WITHIN_MS, noted)
  }

  async isUnderWay(address: string): Promise<boolean> {
    const process = await this.#read(address)
    // Also for a while after its end, because its last answers, or the end of their connections, are still on their way.
    return process?.leaving === true && process.recent
  }

  async hasAnsweredAll(address: string, signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      const process = await this.#read(address)
      if (!process?.leaving || process.over || process.answered_all) return process?.answered_all ?? false
      await new Promise(resolve => setTimeout(resolve, LOOK_AT_LEAVING_MS))
    }
    return false
  }

  /** The newest process there: one may have been restarted at this address. */
  async #read(address: string): Promise<Row | undefined> {
    const { rows } = await this.database.ask<Row>(
      `SELECT leaving, answered_all, ended OR renewed_at <= clock_timestamp() - $2 * interval '1 millisecond' AS over,
         renewed_at > clock_timestamp() - 2 * $2 * interval '1 millisecond' AS recent
       FROM processes WHERE address = $1 ORDER BY id DESC LIMIT 1`,
      [address, LEASE_MS],
    )
    return rows[0]
  }
}

/** Waits for the work to end or fail, but no longer than this. */
async function within(milliseconds: number, work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<void>(resolve => {
    timer = setTimeout(resolve, milliseconds)
  })
  await Promise.race([work.catch(() => {}), limit])
  clearTimeout(timer)
}

/** The calls that this process answers now, by merchant. */
class CallsUnderWay {
  readonly #calls = new Map<string, Set<CallUnderWay>>()
  readonly #waiting = new Map<string, () => void>()
  /** An empty set, used again: most calls are the only one of their merchant, and over at once. */
  #spare: Set<CallUnderWay> | undefined

  begin(merchant: string, call: CallUnderWay): void {
    let calls = this.#calls.get(merchant)
    if (!calls) {
      calls = this.#spare ?? new Set()
      this.#spare = undefined
      this.#calls.set(merchant, calls)
    }
    calls.add(call)
  }

  end(merchant: string, call: CallUnderWay): void {
    const calls = this.#calls.get(merchant)
    if (!calls?.delete(call) || calls.size > 0) return
    this.#calls.delete(merchant)
    this.#spare = calls
    this.#waiting.get(merchant)?.()
  }

  /** When the oldest of them began. */
  oldest(merchant: string): number | undefined {
    const [oldest] = this.#calls.get(merchant) ?? []
    return oldest?.startedAt
  }

  /** Whether all calls of the merchant end within the time. Only one caller at a time may wait for this. */
  async over(merchant: string, withinMs: number): Promise<boolean> {
    if (!this.#calls.has(merchant)) return true
    return new Promise(resolve => {
      const end = (isOver: boolean) => {
        clearTimeout(timer)
        this.#waiting.delete(merchant)
        resolve(isOver)
      }
      const timer = setTimeout(() => end(false), withinMs)
      this.#waiting.set(merchant, () => end(true))
    })
  }
}
