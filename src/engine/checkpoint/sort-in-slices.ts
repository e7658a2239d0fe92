import { otherWork } from '../other-work.ts'

/** How many are sorted, or merged, before other work gets its turn. */
const SLICE = 8192

/** The items in order; equal ones stay in theirs. Many of them are sorted in slices, and then merged. */
export async function sortInSlices<T>(items: T[], compare: (a: T, b: T) => number): Promise<T[]> {
  let runs: T[][] = []
  for (let from = 0; from < items.length; from += SLICE) {
    if (from > 0) await otherWork()
    runs.push(items.slice(from, from + SLICE).sort(compare))
  }
  while (runs.length > 1) {
    const longer: T[][] = []
    for (let nth = 0; nth < runs.length; nth += 2)
      longer.push(await merge(runs[nth] ?? [], runs[nth + 1] ?? [], compare))
    runs = longer
  }
  return runs[0] ?? []
}

async function merge<T>(a: T[], b: T[], compare: (a: T, b: T) => number): Promise<T[]> {
  if (b.length === 0) return a
  const merged: T[] = []
  let [nextA, nextB] = [0, 0]
  while (nextA < a.length && nextB < b.length) {
    const [itemA, itemB] = [a[nextA] as T, b[nextB] as T]
    if (compare(itemA, itemB) <= 0) {
      merged.push(itemA)
      nextA++
    } else {
      merged.push(itemB)
      nextB++
    }
    if (merged.length % SLICE === 0) await otherWork()
  }
  return merged.concat(a.slice(nextA), b.slice(nextB))
}
