/** Lets waiting requests and timers of all accounts go first. Long work awaits it every few milliseconds. */
export const otherWork = (): Promise<void> => new Promise(resolve => setImmediate(resolve))

/** Works on each value, with a pause for other work after so many of them. A promise for each would take longer than most work. */
export async function inSlices<T>(
  values: Iterable<T>,
  atOnce: number,
  work: (value: T) => void,
): Promise<void> {
  let count = 0
  for (const value of values) {
    if (++count % atOnce === 0) await otherWork()
    work(value)
  }
}
