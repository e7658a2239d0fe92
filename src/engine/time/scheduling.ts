/** Lets waiting requests and timers of all accounts go first. Long work awaits it every few milliseconds. */
export const yieldToEventLoop = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

const SLICE_MS = 4

/** A part of long work that is done without a pause. By the clock, because the same work may take ten times as long. */
export class Slice {
  #endsAt = performance.now() + SLICE_MS

  get isOver(): boolean {
    return performance.now() >= this.#endsAt
  }

  /** Lets other work go first. */
  async next(): Promise<void> {
    await yieldToEventLoop()
    this.#endsAt = performance.now() + SLICE_MS
  }
}

/**
 * Works on each value. After each `atOnce` of them it looks at the clock, and pauses for other work if it is time. A
 * promise for each value would take longer than most work.
 */
export async function inSlices<T>(
  values: Iterable<T>,
  atOnce: number,
  work: (value: T) => void,
): Promise<void> {
  const slice = new Slice()
  let count = 0
  for (const value of values) {
    if (++count % atOnce === 0 && slice.isOver) await slice.next()
    work(value)
  }
}

const AT_ONCE = 8

/** Acts on several at a time. Resolves when all have ended, or rejects then with the first failure. */
export async function inParallel<T>(items: Iterable<T>, act: (item: T) => Promise<unknown>): Promise<void> {
  const rest = items[Symbol.iterator]()
  const failures: unknown[] = []
  const work = async () => {
    for (let next = rest.next(); !next.done; next = rest.next())
      await act(next.value).catch(cause => failures.push(cause))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  if (failures.length > 0) throw failures[0]
}

/** Items in the order in which they came. Taking the first one costs the same, however many there are. */
export class Queue<T> {
  #items: T[] = []
  #next = 0

  push(item: T): void {
    this.#items.push(item)
  }

  get first(): T | undefined {
    return this.#items[this.#next]
  }

  shift(): T | undefined {
    const item = this.first
    if (this.#next < this.#items.length) this.#next++
    if (this.#next * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#next)
      this.#next = 0
    }
    return item
  }
}
