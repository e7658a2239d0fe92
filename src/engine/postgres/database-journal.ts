import { type Entry, recordsOf } from '../../domain/events.ts'
import { SafePoint } from '../account/recovery.ts'
import type { Journal } from '../journal/journal.ts'
import { demandSeal, openLine, readLine, writeLine } from '../journal/journal-format.ts'
import { DamagedError, MovedError, messageOf, StartError, StoreError } from '../store/store-errors.ts'
import type { Reading } from '../time/real-time.ts'
import { type Ask, type Database, isRefusal, unavailableBy } from './database.ts'

/** Where an account stands in the database, as its holder took it. */
export interface JournalHead {
  /** Every write states it. It grows with each take-over, so that an earlier holder can no longer write. */
  readonly epoch: number
  readonly edition: number
  readonly seed: string | null
  /** The number of the last entry. */
  readonly last: number
}

interface DatabaseJournalOptions {
  readonly account: string
  /** The number of this process, which no other process ever gets. */
  readonly writer: number
  readonly standing: JournalHead
  /** The wall time at which somebody must hold the account again, because a timer is due; null if there is none. */
  readonly wakeAt: () => number | null
  readonly monotonic: Reading
  readonly onFailure: (cause: unknown) => void
  /** Another process holds the account. */
  readonly onLost: () => void
  readonly onClose: () => Promise<void>
}

/** How long a batch is retried after its connection was cut. Then its callers learn that its fate is unknown. */
const SETTLE_MS = 4000
const PAUSE_MS = 100

const APPEND = `
  WITH held AS (
    UPDATE accounts SET last = $4 + cardinality($6::text[]), wake_ms = $5
    WHERE id = $1 AND epoch = $2 AND edition = $3 AND last = $4 RETURNING 1)
  INSERT INTO entries (account, edition, seq, line, epoch)
  SELECT $1, $3, $4 + nth, line, $2 FROM unnest($6::text[]) WITH ORDINALITY AS batch (line, nth), held`

/**
 * The entries of an account in a database. A batch is one statement, which writes only if this process still holds the
 * account. Meanwhile new entries are collected for the next batch.
 */
export class DatabaseJournal implements Journal {
  readonly keptFrom = 1
  readonly #safe = new SafePoint()
  #standing: JournalHead
  #batch: string[] = []
  #flushing: Promise<void> | undefined
  /** Whether the database may have a batch whose write was not confirmed. */
  #inDoubt = false
  #lost = false
  #replacing = false
  #closed = false

  constructor(
    private readonly database: Database,
    private readonly options: DatabaseJournalOptions,
  ) {
    this.#standing = options.standing
    this.#safe.seq = options.standing.last
  }

  get seed(): string | undefined {
    return this.#standing.seed ?? undefined
  }

  get edition(): number {
    return this.#standing.edition
  }

  append(entry: Entry): number {
    const line = writeLine(entry).slice(0, -1)
    this.#batch.push(line)
    if (!this.#flushing && !this.#safe.stopped && !this.#replacing) this.#flushing = this.#flush()
    return line.length
  }

  durable(seq: number): Promise<void> | undefined {
    if (this.moved && seq > this.#safe.seq) return Promise.reject(new MovedError())
    return this.#safe.durable(seq)
  }

  get moved(): boolean {
    return this.#lost && !this.#inDoubt
  }

  get failure(): unknown {
    return this.#safe.cause
  }

  async #flush(): Promise<void> {
    // All entries of this turn of the event loop go into one batch.
    await new Promise(setImmediate)
    try {
      while (this.#batch.length > 0) {
        const lines = this.#batch
        this.#batch = []
        const last = this.#safe.seq + lines.length
        await this.#write(lines)
        this.#standing = { ...this.#standing, last }
        this.#safe.reached(last)
      }
    } catch (cause) {
      this.#fail(cause)
    } finally {
      this.#flushing = undefined
    }
  }

  /** Resolves when the lines are in the database, once. */
  async #write(lines: readonly string[]): Promise<void> {
    const from = this.#safe.seq
    const until = this.options.monotonic() + SETTLE_MS
    for (;;)
      try {
        if (this.#inDoubt && (await this.#isWritten(from, lines.length))) return
        const { account, wakeAt } = this.options
        const { epoch, edition } = this.#standing
        const values = [account, epoch, edition, from, wakeAt(), lines]
        if ((await this.database.ask(APPEND, values)).count === lines.length) return
        throw new LostError()
      } catch (cause) {
        if (cause instanceof LostError || isRefusal(cause)) throw cause
        this.#inDoubt = true
        if (this.#closed || this.options.monotonic() > until) throw cause
        await new Promise(resolve => setTimeout(resolve, PAUSE_MS))
      }
  }

  /** Whether a batch whose fate is unknown is in the database. If not, it can only be written again. */
  async #isWritten(from: number, count: number): Promise<boolean> {
    const { epoch, edition } = this.#standing
    try {
      return (await this.#settle()) === from + count
    } catch (cause) {
      if (!(cause instanceof LostError) || this.#closed) throw cause
      // A process that took the account since then has ended the statements of this one, or waited for them.
      const { rows } = await this.database.ask<{ written: string }>(
        `SELECT (SELECT count(*) FROM entries WHERE account = a.id AND edition = $2 AND seq > $3 AND seq <= $4 AND epoch = $5)
           AS written FROM accounts a WHERE id = $1 AND edition = $2`,
        [this.options.account, edition, from, from + count, epoch],
      )
      // The history was replaced, so none of its entries are left to check.
      if (!rows[0]) throw cause
      this.#inDoubt = false
      if (Number(rows[0].written) < count) throw cause
      this.#giveUp()
      return true
    }
  }

  /**
   * Takes the account again, under a new epoch: a statement whose connection was cut has ended by then, or can no
   * longer write. Returns the number of the last entry.
   */
  async #settle(ask = this.database.ask): Promise<number> {
    if (this.#closed) throw new LostError()
    const { rows } = await ask<{ epoch: string; last: string }>(
      'UPDATE accounts SET epoch = epoch + 1 WHERE id = $1 AND writer = $2 RETURNING epoch, last',
      [this.options.account, this.options.writer],
    )
    const [row] = rows
    if (!row) throw new LostError()
    const last = Number(row.last)
    this.#standing = { ...this.#standing, epoch: Number(row.epoch), last }
    this.#inDoubt = false
    return last
  }

  #fail(cause: unknown): void {
    this.#safe.stopped = true
    this.#batch = []
    this.#lost = cause instanceof LostError
    this.#safe.failed(this.moved ? new MovedError() : unavailableBy('The journal', cause, this.#inDoubt))
    if (this.#lost) this.options.onLost()
    this.options.onFailure(cause)
  }

  async rollBack(onEntry: (entry: Entry) => void, known = 0): Promise<void> {
    if (this.#lost) throw new MovedError()
    if (this.#inDoubt)
      await this.#settle(this.#reading).catch(cause => {
        if (!(cause instanceof LostError)) throw cause
        this.#giveUp()
        throw unavailableBy('The journal', cause)
      })
    this.#safe.seq = this.#standing.last
    await this.read(onEntry, known)
  }

  /** Only a real write shows whether the database takes writes again. */
  async tryAgain(): Promise<void> {
    const { account } = this.options
    const { epoch } = this.#standing
    const { count } = await this.database.ask(
      'UPDATE accounts SET last = last WHERE id = $1 AND epoch = $2',
      [account, epoch],
    )
    if (count === 0) {
      this.#giveUp()
      throw new LostError()
    }
    this.#safe.stopped = false
  }

  #giveUp(): void {
    this.#lost = true
    if (!this.#closed) this.options.onLost()
  }

  /** A database that does not answer now may answer later. */
  readonly #reading: Ask = (text, values) =>
    this.database.ask(text, values).catch(cause => {
      throw unavailableBy('The journal', cause)
    })

  /** The entries after a known one. */
  read(onEntry: (entry: Entry) => void | Promise<void>, known: number): Promise<void> {
    return this.#stored.read(onEntry, known)
  }

  async history(id: string): Promise<Entry[]> {
    await this.#settled()
    return this.#stored.naming(id)
  }

  async *lines(): AsyncIterable<string> {
    await this.#settled()
    yield* this.#stored.lines()
  }

  get #stored(): StoredEntries {
    const { edition } = this.#standing
    return new StoredEntries(this.#reading, {
      account: this.options.account,
      edition,
      last: this.#safe.seq,
    })
  }

  /** In one transaction: everything changes at once, or nothing. */
  async replace(entries: readonly Entry[], seed: string): Promise<void> {
    // From now on entries are collected, and written after the new ones.
    this.#replacing = true
    try {
      await this.#settled()
      const { account } = this.options
      const edition = this.#standing.edition + 1
      const last = entries.at(-1)?.seq ?? 0
      await this.database
        .transaction(async ask => {
          const { count } = await ask(
            `UPDATE accounts SET edition = $3, seed = $4, last = $5, wake_ms = 0, checkpoint = NULL
             WHERE id = $1 AND epoch = $2`,
            [account, this.#standing.epoch, edition, seed, last],
          )
          if (count === 0) throw new LostError()
          await insertEntries(ask, { account, edition }, entries)
        })
        .catch(cause => {
          if (cause instanceof LostError) this.options.onLost()
          throw unavailableBy('The journal', cause, !isRefusal(cause))
        })
      // If they stay, the next replacement removes them.
      await this.database
        .ask('DELETE FROM entries WHERE account = $1 AND edition < $2', [account, edition])
        .catch(() => {})
      // Last of all: until then, a read of the old world waits for one of its entries, which is safe.
      this.#standing = { ...this.#standing, edition, seed, last }
      this.#safe.seq = last
    } finally {
      this.#replacing = false
      if (this.#batch.length > 0) this.#flushing = this.#flush()
    }
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#settled()
    await this.options.onClose()
  }

  async #settled(): Promise<void> {
    while (this.#flushing) await this.#flushing
  }
}

/** Another process has taken the account. */
class LostError extends StoreError {
  constructor() {
    super('another process holds the account now')
  }
}

interface Edition {
  readonly account: string
  readonly edition: number
}

/** How many entries are read or written at a time. */
const PAGE = 4096

/** The entries of an account up to one that is known to be there. */
class StoredEntries {
  constructor(
    private readonly ask: Ask,
    private readonly which: Edition & { readonly last: number },
  ) {}

  /** The entries after a known one. */
  async read(onEntry: (entry: Entry) => void | Promise<void>, known: number): Promise<void> {
    let seq = known
    for await (const line of this.#lines(known)) {
      let entry: Entry
      try {
        entry = openLine<Entry>(line, ++seq)
      } catch (cause) {
        throw this.#problem(seq, `is damaged: ${messageOf(cause)}`)
      }
      const waiting = onEntry(entry)
      if (waiting) await waiting
    }
    if (seq !== this.which.last)
      throw this.#problem(seq + 1, `is missing, though there are ${this.which.last}`)
  }

  #problem(seq: number, what: string): StartError {
    return new StartError(
      `entry ${seq} of account ${this.which.account} ${what}: restore the database from a backup`,
    )
  }

  /** Searches all lines for the id. This is slow, but rarely needed. */
  async naming(id: string): Promise<Entry[]> {
    const entries: Entry[] = []
    for await (const line of this.#lines(0, id)) {
      const entry = readLine(this.#whole(line))
      if (entry.events.some(event => recordsOf(event).includes(id))) entries.push(entry)
    }
    return entries
  }

  async *lines(): AsyncGenerator<string> {
    for await (const line of this.#lines(0)) yield `${this.#whole(line)}\n`
  }

  #whole(line: string): string {
    try {
      demandSeal(line)
      return line
    } catch (cause) {
      throw new DamagedError(`an entry of account ${this.which.account}`, messageOf(cause))
    }
  }

  async *#lines(after: number, word = ''): AsyncGenerator<string> {
    const { account, edition, last } = this.which
    for (let from = after; from < last; from += PAGE) {
      const { rows } = await this.ask<{ line: string }>(
        `SELECT line FROM entries WHERE account = $1 AND edition = $2 AND seq > $3 AND seq <= $4
           AND ($5 = '' OR strpos(line, $5) > 0) ORDER BY seq`,
        [account, edition, from, Math.min(last, from + PAGE), word],
      )
      for (const { line } of rows) yield line
    }
  }
}

/** Writes a history from its first entry. */
async function insertEntries(
  ask: Ask,
  { account, edition }: Edition,
  entries: readonly Entry[],
): Promise<void> {
  for (let from = 0; from < entries.length; from += PAGE)
    await ask(
      `INSERT INTO entries (account, edition, seq, line)
       SELECT $1, $2, $3 + nth, line FROM unnest($4::text[]) WITH ORDINALITY AS batch (line, nth)`,
      [account, edition, from, entries.slice(from, from + PAGE).map(entry => writeLine(entry).trimEnd())],
    )
}
