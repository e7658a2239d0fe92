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
