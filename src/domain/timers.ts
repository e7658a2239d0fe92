import type { TimedCommand } from './commands.ts'
import { type Past, Table, type TableShape } from './table.ts'

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

  constructor(past?: Past<Timer>) {
    this.table = new Table(TIMERS, past)
  }

  get size(): number {
    return this.table.size
  }

  get next(): Timer | undefined {
    return this.table.first
  }

  /** A timer that is set again with the same id replaces the earlier one. */
  set(id: string, dueAt: number, command: TimedCommand): void {
    this.table.delete(id)
    this.table.add(id, { id, dueAt, ordinal: ++this.ordinal, command })
  }

  clear(id: string): void {
    this.table.delete(id)
  }

  get(id: string): Timer | undefined {
    return this.table.get(id)
  }

  /** In the order in which they are due. */
  list(): Timer[] {
    return [...this.table.values()]
  }
}
