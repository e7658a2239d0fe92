import type { Entry } from '../../domain/events.ts'
import { recordsOf } from '../../domain/records-of-event.ts'
import { DamagedError, messageOf } from '../damaged-error.ts'
import { demandSeal, lineInCurrentForm, openLine, readLine, writeLine } from '../journal-format.ts'
import { StartError } from '../start-error.ts'
import type { Ask } from './database.ts'

interface Edition {
  readonly account: string
  readonly edition: number
}

/** How many entries are read or written at a time. */
const PAGE = 4096

/** The entries of an account up to one that is known to be there. */
export class StoredEntries {
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
    for await (const line of this.#lines(0)) yield lineInCurrentForm(this.#whole(line))
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
export async function insertEntries(
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
