import { otherWork } from '../other-work.ts'

/** Hashes are whole numbers below this one, spread evenly. */
const HASHES = 2 ** 53

/**
 * A hash of 53 bits, as a number. Two texts may share one, so compare the id of a record found by it. The seed is
 * secret, so that nobody can choose keys that all have the same hash.
 */
export function hashOf(text: string, seed: number): number {
  let low = 0xdeadbeef ^ seed
  let high = 0x41c6ce57 ^ seed
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at)
    low = Math.imul(low ^ unit, 0x9e3779b1)
    high = Math.imul(high ^ unit, 0x5f356495)
  }
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35)
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35)
  return (high & 0x1fffff) * 0x100000000 + (low >>> 0)
}

/** The first place in ascending hashes that is not below this one. Their even spread says where to look first. */
export function firstNotBelow(hashes: Float64Array, hash: number): number {
  let low = 0
  let high = hashes.length
  // Two guesses come close; halving does the rest.
  for (let guess = 0; guess < 3 && high - low > 8; guess++) {
    const from = low === 0 ? 0 : (hashes[low - 1] ?? 0)
    const to = high === hashes.length ? HASHES : (hashes[high] ?? HASHES)
    if (to <= from) break
    const middle = low + Math.floor(((hash - from) / (to - from)) * (high - low))
    // A margin, so that most guesses cut off both sides.
    const margin = 2 + Math.floor(Math.sqrt(high - low))
    const [below, above] = [Math.max(low, middle - margin), Math.min(high - 1, middle + margin)]
    if ((hashes[below] ?? 0) < hash) low = below + 1
    else high = below
    if (above >= low && above < high) {
      if ((hashes[above] ?? 0) < hash) low = above + 1
      else high = above
    }
  }
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((hashes[middle] ?? 0) < hash) low = middle + 1
    else high = middle
  }
  return low
}

/** Hashes in ascending order, each with its entry. */
export interface HashColumns {
  readonly hash: Float64Array
  readonly entry: Uint32Array
}

/** How many hashes are placed before other work gets its turn: a millisecond of work. */
const SLICE = 16_384
/** Parts with more hashes have one that many entries share, and are sorted only if they also have another. */
const FEW = 16

/**
 * The hashes of entries 0, 1, 2, … in ascending order; equal ones in the order of their entries. As they are spread evenly,
 * each is put into the part of the result where it belongs, which leaves little to sort.
 */
export async function inHashOrder(hashes: Float64Array): Promise<HashColumns> {
  const size = hashes.length
  const ends = new Uint32Array(size)
  const entry = new Uint32Array(size)
  const hash = new Float64Array(size)
  const inSlices = async (work: (nth: number) => void) => {
    for (let nth = 0; nth < size; nth++) {
      if (nth > 0 && nth % SLICE === 0) await otherWork()
      work(nth)
    }
  }
  const partOf = (nth: number) => Math.floor(((hashes[nth] ?? 0) / HASHES) * size)
  const add = (part: number, count: number) => {
    ends[part] = (ends[part] ?? 0) + count
  }
  await inSlices(nth => add(partOf(nth), 1))
  await inSlices(part => add(part, ends[part - 1] ?? 0))
  // From the last one, so that each part is filled from its end, and `ends` then says where it starts.
  await inSlices(nth => {
    const last = size - 1 - nth
    add(partOf(last), -1)
    entry[ends[partOf(last)] ?? 0] = last
  })
  await inSlices(part => sortPart(entry, hashes, ends[part] ?? 0, ends[part + 1] ?? size))
  await inSlices(nth => {
    hash[nth] = hashes[entry[nth] ?? 0] ?? 0
  })
  return { hash, entry }
}

function sortPart(entries: Uint32Array, hashes: Float64Array, start: number, end: number): void {
  const byHash = (a: number, b: number) => (hashes[a] ?? 0) - (hashes[b] ?? 0) || a - b
  for (let nth = start + 1; nth < end; nth++) {
    const moved = entries[nth] ?? 0
    if (byHash(entries[nth - 1] ?? 0, moved) < 0) continue
    if (end - start > FEW) {
      entries.set(Array.from(entries.subarray(start, end)).sort(byHash), start)
      return
    }
    let place = nth
    for (; place > start && byHash(entries[place - 1] ?? 0, moved) > 0; place--)
      entries[place] = entries[place - 1] ?? 0
    entries[place] = moved
  }
}
