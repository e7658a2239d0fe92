import { type Entry, recordsOf } from '../../domain/events.ts'
import { writeLine } from './journal-format.ts'

/** The entries of an account, in order. The journal is the source of truth: the world is computed from it. */
export interface Journal {
  /** Returns the length of its line; 0 if the entry is kept as an object. */
  append(entry: Entry): number
  /** Resolves when the entry is safe; undefined if it already is. */
  durable(seq: number): Promise<void> | undefined
  /** The entries that name a record, oldest first. */
  history(id: string): Promise<Entry[]>
  /** The number of the oldest entry that is kept. */
  readonly keptFrom: number
  /** All entries that are kept, as lines. */
  lines(): AsyncIterable<string>
  /** After a failed write: the entries after a known one, up to the last safe one, replayed in order. */
  rollBack(onEntry: (entry: Entry) => void, known?: number): Promise<void>
  /** Whether another process holds the account, so that nothing can be written here any more. */
  readonly moved?: boolean
  /** Why the last failed write failed. */
  readonly failure?: unknown
  /** After a failed write: resolves if writes work again. */
  tryAgain(): Promise<void>
  /** The seed of ids, if it is not the account's first one. */
  readonly seed: string | undefined
  /** Replaces everything by these entries and this seed, completely or not at all. */
  replace(entries: readonly Entry[], seed: string): Promise<void>
  /** Without `last`, what is kept may not be the account's last state. */
  close(last?: Standing): Promise<void>
}

/** Where an account stands when it is closed. */
export interface Standing {
  readonly seq: number
  readonly seed: string
  /** The time of its clock. */
  readonly time: number
  /** The wall time at which it must be open again; null if only a call needs it. */
  readonly wakeMs: number | null
}

/** A journal in memory, for a simulator without a data directory. */
export class MemoryJournal implements Journal {
  #entries: Entry[] = []
  /** The entries of each record, once somebody asked for a history. */
  #byRecord: Map<string, Entry[]> | undefined
  seed: string | undefined
  readonly keptFrom = 1

  append(entry: Entry): number {
    if (this.#byRecord) note(entry, this.#byRecord)
    this.#entries.push(entry)
    return 0
  }

  durable(): undefined {}

  async history(id: string): Promise<Entry[]> {
    if (!this.#byRecord) {
      this.#byRecord = new Map()
      for (const entry of this.#entries) note(entry, this.#byRecord)
    }
    return [...(this.#byRecord.get(id) ?? [])]
  }

  async *lines(): AsyncIterable<string> {
    for (const entry of this.#entries) yield writeLine(entry)
  }

  async rollBack(): Promise<void> {}

  async tryAgain(): Promise<void> {}

  async replace(entries: readonly Entry[], seed: string): Promise<void> {
    this.#entries = [...entries]
    this.seed = seed
    this.#byRecord = undefined
  }

  async close(): Promise<void> {}
}

function note(entry: Entry, byRecord: Map<string, Entry[]>): void {
  for (const record of new Set(entry.events.flatMap(recordsOf))) {
    const entries = byRecord.get(record)
    if (entries) entries.push(entry)
    else byRecord.set(record, [entry])
  }
}
