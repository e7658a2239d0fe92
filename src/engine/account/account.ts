import { JOURNAL_VERSION } from '../../contract/control/journal.ts'
import type { Rejection } from '../../contract/errors.ts'
import type { Environment } from '../../contract/statuses.ts'
import { apply } from '../../domain/apply.ts'
import type { Actor, ClockSetting, Command } from '../../domain/commands.ts'
import { type Context, type Decision, decide } from '../../domain/decide/index.ts'
import type { DomainEvent, Entry } from '../../domain/events.ts'
import type { Timer } from '../../domain/timers.ts'
import { type KeptAnswer, MutableWorld, type World } from '../../domain/world.ts'
import type { Checkpoints } from '../checkpoint/checkpoints.ts'
import type { Journal, Standing } from '../journal/journal.ts'
import { Listeners } from '../listeners.ts'
import { unavailable } from '../store/store-errors.ts'
import { AccountClock } from '../time/clock.ts'
import { Firing, Pacer } from '../time/pacer.ts'
import type { RealTime } from '../time/real-time.ts'
import { inSlices } from '../time/scheduling.ts'
import { ownSource } from './account-secret.ts'
import { IdSource } from './ids.ts'
import { Recovery } from './recovery.ts'

/** Entries that are applied between two looks at the clock. */
const AT_ONCE = 8

/**
 * One merchant in one environment: a world, its journal, and a clock. Every change goes through `execute`. Timers are
 * executed by `advance`, or by the pacer of a real clock.
 */
export class Account {
  readonly id: string
  readonly environment: Environment
  readonly clock: AccountClock
  readonly secret: () => string
  #ids: IdSource
  readonly #own = ownSource()
  readonly #entries = new Listeners<[Entry]>()
  readonly #pacer: Pacer
  #world = new MutableWorld()
  #journal: Journal | undefined
  #checkpoints: Checkpoints | undefined
  readonly #resumed = new Listeners<[]>()
  readonly #replaced = new Listeners<[]>()
  readonly #recovery = new Recovery({
    rollBack: () => this.#rollBack(),
    tryWriting: () => this.journal.tryAgain(),
    resume: () => this.#resume(),
  })
  #rewriting: Promise<void> | undefined
  readonly #firing = new Firing({
    isDue: () => this.#isDue(),
    fireNext: () => this.#fireNext(),
    onDone: () => this.#watch(),
  })
  #closed = false

  constructor(private readonly settings: AccountSettings) {
    this.id = settings.id
    this.environment = settings.environment
    this.secret = settings.secret
    this.clock = new AccountClock(settings.time, null)
    this.#ids = new IdSource(settings.seed)
    this.#pacer = new Pacer(this.clock, () => this.#firing.begin())
  }

  get world(): World {
    return this.#world
  }

  get journal(): Journal {
    if (!this.#journal) throw new Error(`account ${this.id} is used before its journal is open`)
    return this.#journal
  }

  /** The account's time, which never runs backwards, even if the wall clock does. */
  get now(): number {
    return Math.max(this.clock.now(), this.#world.at)
  }

  sign(text: string): string {
    return this.#own(this).sign(text)
  }

  /** A number in [0, 1) that is derived from the seed, for random choices outside the journal. */
  chance(what: string): number {
    return this.#ids.chance(what)
  }

  /** The seed of all ids of this account. */
  get seed(): string {
    return this.#ids.seed
  }

  /** Replaces the seed of all later ids. */
  reseed(seed: string): void {
    this.#ids = new IdSource(seed)
  }

  /** Applies an entry from the journal. */
  readonly applyEntry = (entry: Entry): void => {
    apply(this.#world, entry)
    for (const event of entry.events) if (event.type === 'ClockSet') this.clock.follow(event.clock)
  }

  /** The world of a checkpoint. The entries after it are replayed next. */
  continueFrom(world: MutableWorld): void {
    this.#world = world
    if (world.clock) this.clock.follow(world.clock)
  }

  /** Gives the account the journal that it was replayed from. Its timers start with `fireDue`. */
  open(journal: Journal, stoppedAt = 0, checkpoints?: Checkpoints): void {
    this.#journal = journal
    this.#checkpoints = checkpoints
    this.clock.continueFrom(Math.max(this.#world.at, stoppedAt))
  }

  start(journal: Journal): void {
    this.open(journal)
    this.fireDue()
  }

  readonly onEntry = this.#entries.add

  /** Called when another history replaced this one, so that earlier entries are no longer valid. */
  readonly onReplaced = this.#replaced.add

  /** Sends entries that were imported to the listeners of the account. */
  announce(entries: readonly Entry[]): void {
    for (const entry of entries) this.#entries.tell(entry)
  }

  /**
   * Executes everything that is due by now; on a real clock a timer may be due that has not fired yet. Call it before
   * you show the world. If so much is due that others would have to wait, it returns when all is done.
   */
  catchUp(): Promise<void> | undefined {
    if (this.#isDue()) this.fireDue()
    return this.#firing.rest
  }

  execute(command: Command, by: Actor): Outcome {
    // Callers have waited in `catchUp` or `available`, so only what became due since then is left.
    if (this.#isDue()) this.#firing.finish()
    const outcome = this.#decideAndApply(command, by)
    // Timers that are due at once fire next, after the caller has the result of its command.
    if (this.#isDue()) void Promise.resolve().then(this.fireDue)
    else this.#watch()
    return outcome
  }

  #fireNext(): void {
    const { next } = this.#world.timers
    if (next) this.#decideAndApply(next.command, 'timer', next)
  }

  #decideAndApply(command: Command, by: Actor, timer?: Timer): Outcome {
    if (this.#recovery.underWay || this.#rewriting || this.#closed)
      return { refused: unavailable(this.journal.failure), seq: 0 }
    const at = this.#timeOf(command, timer)
    const decision = this.#decide(command, at)
    const fired: DomainEvent[] = timer ? [{ type: 'TimerFired', timer: timer.id }] : []
    if ('events' in decision)
      return { id: decision.id, seq: this.#commit([...fired, ...decision.events], at, by) }
    // A timer counts as fired even if its command is refused; otherwise time would stop there.
    if ('replay' in decision) return { ...decision, seq: decision.replay.seq }
    const kept = decision.kept ? [...fired, decision.kept] : fired
    return { refused: decision.refused, seq: this.#commit(kept, at, by) }
  }

  #decide(command: Command, at: number): Decision {
    const names = this.#ids.ofMove(this.#world.moves + 1, () => this.#own(this))
    return decide(this.#world, command, contextOf(this.settings, names, at))
  }

  #timeOf(command: Command, timer: Timer | undefined): number {
    // The entry gets the time at which the timer was due, however late it fires. Timers that it sets may be overdue
    // as well.
    if (timer) return Math.max(timer.dueAt, this.#world.at)
    // An account without entries starts at the time of its clock, which may be in the past.
    if (command.type === 'SetClock' && this.#world.seq === 0) return command.clock.accountAt
    return this.now
  }

  #commit(events: readonly DomainEvent[], at: number, by: Actor): number {
    if (events.length === 0) return this.#world.seq
    const entry: Entry = { v: JOURNAL_VERSION, seq: this.#world.seq + 1, at, by, events }
    const length = this.journal.append(entry)
    this.applyEntry(entry)
    this.#entries.tell(entry)
    this.#checkpoints?.noteEntry(length)
    return entry.seq
  }

  /** Executes what is due by now, in order; if that is much, in slices. */
  readonly fireDue = (): void => this.#firing.begin()

  #watch(): void {
    if (this.#recovery.underWay || this.#closed) return
    const { nextAt } = this.#world.timers
    this.#pacer.watch(nextAt === undefined ? undefined : { dueAt: nextAt })
  }

  #isDue(): boolean {
    const { nextAt } = this.#world.timers
    if (nextAt === undefined || nextAt > this.now) return false
    return !this.#recovery.underWay && !this.#rewriting && !this.#closed
  }

  setClock(setting: ClockSetting): number {
    return this.execute({ type: 'SetClock', clock: setting }, 'operator').seq
  }

  /** The journal could not be written. */
  readonly stall = (): void => {
    this.#pacer.stop()
    this.#recovery.begin()
  }

  get stalled(): boolean {
    return this.#recovery.underWay
  }

  /** Whether this process may no longer decide for the account. */
  get moved(): boolean {
    return this.#closed || this.journal.moved === true
  }

  get closed(): boolean {
    return this.#closed
  }

  /**
   * Resolves when everything due has happened and can be read: each entry is on disk, or was discarded. What a failed
   * write has left is removed, if possible: otherwise a restart could bring back what was not shown.
   */
  async settled(): Promise<void> {
    await this.catchUp()
    if (this.#recovery.underWay) await this.#recovery.tryAgain()
    await this.journal.durable(this.#world.seq)?.catch(() => this.#recovery.atSafeWorld())
  }

  /** Whether writes are possible now, when no timers are firing; tries again if they were not. */
  available(): true | Promise<boolean> {
    const rewriting = this.#rewriting?.catch(() => {}).then(() => this.#firing.rest)
    const before = rewriting ?? this.catchUp()
    const mayWrite = () => !this.#recovery.underWay || this.#recovery.tryAgain()
    return before ? before.then(mayWrite) : mayWrite()
  }

  /** The world of the entries that are safe on disk. */
  async #rollBack(): Promise<void> {
    const goOnFrom = async (world: MutableWorld) => {
      await this.journal.rollBack(entry => apply(world, entry), world.seq)
      this.#take(world)
    }
    await (this.#checkpoints ? this.#checkpoints.restore(goOnFrom) : goOnFrom(new MutableWorld()))
  }

  #take(world: MutableWorld): void {
    this.#world = world
    this.clock.follow(world.clock)
    this.clock.continueFrom(world.at)
  }

  #resume(): void {
    this.#resumed.tell()
    this.fireDue()
  }

  /** Called when the world was reset to its safe entries. Interrupted work may have to be started again. */
  readonly onResume = this.#resumed.add

  /** Replaces the whole history, or nothing if that fails. Commands wait until it is done. */
  async rewrite(entries: readonly Entry[], seed: string): Promise<void> {
    const world = new MutableWorld()
    this.#rewriting = this.#replaceHistory(world, entries, seed)
    try {
      await this.#rewriting
    } finally {
      this.#rewriting = undefined
    }
    this.reseed(seed)
    this.#take(world)
    await this.#checkpoints?.startOver(world, entries.length)
    this.#replaced.tell()
    this.#resume()
  }

  async #replaceHistory(world: MutableWorld, entries: readonly Entry[], seed: string): Promise<void> {
    await inSlices(entries, AT_ONCE, entry => apply(world, entry))
    await this.#checkpoints?.idle()
    await this.journal.replace(entries, seed)
  }

  /** A copy is closed with the standing of the account that was copied. */
  async close(last = this.standing): Promise<void> {
    this.#closed = true
    this.#recovery.stop()
    this.#pacer.stop()
    await this.#checkpoints?.close()
    await this.journal.close(last)
  }

  /** The wall time at which it must be open: at once, if a webhook is under way. Null: only when it is called. */
  wakeAt(now: number): number | null {
    const { nextAt } = this.#world.timers
    const due = nextAt === undefined ? undefined : this.clock.waitFor(nextAt)
    const waitMs = hasAttempts(this.#world) ? 0 : due
    return waitMs === undefined ? null : now + waitMs
  }

  /** Undefined if it is not known, because what is kept cannot be written or read now. */
  get standing(): Standing | undefined {
    if (!this.#journal || this.#closed || this.#recovery.underWay) return undefined
    try {
      const wakeMs = this.wakeAt(this.settings.time.wall())
      return { seq: this.#world.seq, seed: this.seed, time: this.now, wakeMs }
    } catch {
      return undefined
    }
  }
}

/** Among very many open webhooks, one may already be in progress: then the account is opened in vain. */
const LOOKED_THROUGH = 100

function hasAttempts({ deliveries, openDeliveries }: World): boolean {
  let looked = 0
  for (const id of openDeliveries)
    if (++looked > LOOKED_THROUGH || deliveries.get(id)?.status === 'attempting') return true
  return false
}

/** The result of a command. `seq` is the entry that must be safe on disk before the caller gets it. */
export type Outcome =
  | { readonly id: string; readonly seq: number }
  | { readonly refused: Rejection; readonly seq: number }
  | { readonly replay: KeptAnswer; readonly seq: number }

interface AccountSettings {
  readonly id: string
  readonly environment: Environment
  /** Ids and random choices follow from it. An export has it, and an import replaces it. */
  readonly seed: string
  /** Webhook secrets and signatures follow from it. It stays in the store. */
  readonly secret: () => string
  readonly time: RealTime
  /** The current part of the context that comes from outside the account. */
  readonly outerContext: () => Pick<
    Context,
    'contract' | 'merchantName' | 'checkoutModes' | 'catalogue' | 'rules' | 'webhookBody'
  >
}

/** Written out, because spreading these objects took a sixth of the time of a decision. */
function contextOf(
  { environment, outerContext }: AccountSettings,
  { newId, newSecret, chance }: Pick<Context, 'newId' | 'newSecret' | 'chance'>,
  at: number,
): Context {
  const { contract, catalogue, rules, merchantName, checkoutModes, webhookBody } = outerContext()
  return {
    at,
    environment,
    contract,
    catalogue,
    rules,
    merchantName,
    checkoutModes,
    webhookBody,
    newId,
    newSecret,
    chance,
  }
}
