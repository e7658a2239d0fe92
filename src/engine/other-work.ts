/** Lets waiting requests and timers of all accounts go first. Long work awaits it every few milliseconds. */
export const otherWork = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

const SLICE_MS = 4

/** A part of long work that is done without a pause. By the clock, because the same work may take ten times as long. */
export class Slice {
  #endsAt = performance.now() + SLICE_MS

  get isOver(): boolean {
    return performance.now() >= this.#endsAt
  }

  /** Lets other work go first. */
  async next(): Promise<void> {
    await otherWork()
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
