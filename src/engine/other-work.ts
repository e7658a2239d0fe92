/** Lets waiting requests and timers of all accounts go first. Long work awaits it every few milliseconds. */
export const otherWork = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

/** The same values, with a pause for other work after so many of them. */
export async function* inSlices<T>(values: Iterable<T>, atOnce: number): AsyncGenerator<T> {
  let count = 0
  for (const value of values) {
    if (++count % atOnce === 0) await otherWork()
    yield value
  }
}
