import type { Entry } from '../domain/events.ts'

/** Where an account's entries are kept, in order. The journal is the truth: the world is what it adds up to. */
export interface Journal {
  append(entry: Entry): void
  /** Resolves once the entry is as safe as the journal makes it; undefined where it is already. */
  durable(seq: number): Promise<void> | undefined
  /** The entries that name a record, oldest first. */
  history(id: string): Promise<Entry[]>
  /** Every entry as its line. */
  lines(): AsyncIterable<string>
  /** After a failed write: everything up to the last safe entry, replayed in order. */
  rollBack(onEntry: (entry: Entry) => void): Promise<void>
  /** After a failed write: resolves if the medium takes writes again. */
  tryAgain(): Promise<void>
  /** What names are made from, where that is not the account's first seed. */
  readonly seed: string | undefined
  /** Starts again with these entries only, and with names made from this seed. All of it happens, or none. */
  replace(entries: readonly Entry[], seed: string): Promise<void>
  close(): Promise<void>
}
