import sortedBtree from 'sorted-btree'
import type { Command } from './commands.ts'

/** Future work as data: it survives a restart and can be inspected. */
export interface Timer {
  readonly id: string
  readonly dueAt: number
  /** Timers that are due at the same time fire in the order in which they were set. */
  readonly ordinal: number
  readonly command: Command
}

const byDueTime = (a: Timer, b: Timer) => a.dueAt - b.dueAt || a.ordinal - b.ordinal

export class Timers {
  readonly #byId = new Map<string, Timer>()
  readonly #queue = new sortedBtree.default<Timer, undefined>(undefined, byDueTime)
  #ordinal = 0

  get size(): number {
    return this.#byId.size
  }

  get next(): Timer | undefined {
    return this.#queue.minKey()
  }

  /** A timer set again under one id replaces the first. */
  set(id: string, dueAt: number, command: Command): void {
    this.clear(id)
    const timer: Timer = { id, dueAt, ordinal: ++this.#ordinal, command }
    this.#byId.set(id, timer)
    this.#queue.set(timer, undefined)
  }

  clear(id: string): void {
    const timer = this.#byId.get(id)
    if (!timer) return
    this.#byId.delete(id)
    this.#queue.delete(timer)
  }

  get(id: string): Timer | undefined {
    return this.#byId.get(id)
  }

  /** In the order in which they are due. */
  list(): Timer[] {
    return this.#queue.keysArray()
  }
}
