import type { TimedCommand } from './commands.ts'
import type { Past } from './past.ts'
import { Table, type TableShape } from './table.ts'

/** Future work as data: it survives a restart and can be inspected. */
export interface Timer {
  readonly id: string
  readonly dueAt: number
  /** Timers that are due at the same time fire in the order in which they were set. */
  readonly ordinal: number
  readonly command: TimedCommand
}

export const TIMERS: TableShape<Timer> = {
  at: ({ dueAt }) => dueAt,
  ordinal: ({ ordinal }) => ordinal,
  facets: () => [],
}

export class Timers {
  readonly table: Table<Timer>
  /** How many were ever set. */
  ordinal = 0
  /** The next one, if it is known: every request asks for it, but few change it. */
  #next: { readonly timer: Timer | undefined } | undefined

  constructor(past?: Past<Timer>) {
    this.table = new Table(TIMERS, past)
  }

  get size(): number {
    return this.table.size
  }

  get next(): Timer | undefined {
    this.#next ??= { timer: this.table.first }
    return this.#next.timer
  }

  /** A timer that is set again with the same id replaces the earlier one. A new record has no stored timers. */
  set(id: string, dueAt: number, command: TimedCommand, ofNewRecord = false): void {
    this.clear(id, ofNewRecord)
    const timer = { id, dueAt, ordinal: ++this.ordinal, command }
    this.table.add(id, timer)
    // Of two timers that are due at the same time, the one that was set first comes first.
    if (this.#next && dueAt < (this.#next.timer?.dueAt ?? Number.POSITIVE_INFINITY)) this.#next = { timer }
  }

  clear(id: string, ofNewRecord = false): void {
    this.table.delete(id, ofNewRecord)
    if (this.#next?.timer?.id === id) this.#next = undefined
  }

  get(id: string): Timer | undefined {
    return this.table.get(id)
  }

  /** In the order in which they are due. */
  list(): Timer[] {
    return [...this.table.values()]
  }
}
