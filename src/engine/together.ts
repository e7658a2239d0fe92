const AT_ONCE = 8

/** Acts on several at a time. Resolves when all have ended, or rejects then with the first failure. */
export async function together<T>(items: Iterable<T>, act: (item: T) => Promise<unknown>): Promise<void> {
  const rest = items[Symbol.iterator]()
  const failures: unknown[] = []
  const work = async () => {
    for (let next = rest.next(); !next.done; next = rest.next())
      await act(next.value).catch(cause => failures.push(cause))
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  if (failures.length > 0) throw failures[0]
}
