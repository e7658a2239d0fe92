import { crc32 } from 'node:zlib'
import { comparePositions, sameFacets } from '../../domain/list-index.ts'
import { inSlices, yieldToEventLoop } from '../time/scheduling.ts'

/**
 * The index of a layer, as a file of columns. It says where each record is, in list order and by id, so that a start
 * reads this much and no record. It is derived from the records, which can be read without it.
 */

/** The entries of one combination of facets, from `start` to before `end`. */
export interface FacetRange {
  readonly facets: readonly string[]
  readonly start: number
  readonly end: number
}

/** One kind of record. All columns but the last four are in list order: by facets, then time, then ordinal. */
export interface KindIndex {
  readonly ranges: readonly FacetRange[]
  readonly at: Float64Array
  readonly ordinal: Float64Array
  /** Where the line of the record starts, and its length in bytes without the line feed. */
  readonly offset: Float64Array
  readonly length: Uint32Array
  /** The hashes of all ids in ascending order, each with its entry. */
  readonly idHash: Float64Array
  readonly idEntry: Uint32Array
  /** The same for words; entries of one word are in list order. */
  readonly wordHash: Float64Array
  readonly wordEntry: Uint32Array
}

type LayerIndex = ReadonlyMap<string, KindIndex>

/** The start of the file. In it, the ranges are called shelves. */
interface Header {
  readonly kinds: readonly { name: string; entries: number; words: number; shelves: readonly FacetRange[] }[]
}

/** How many entries are looked at, sorted or merged before other work gets its turn. */
const SLICE = 8192

const MAGIC = Buffer.from('paysim i')
const aligned = (length: number) => Math.ceil(length / 8) * 8

/** The columns of a kind, in the order of the file. */
const columnsOf = (kind: KindIndex) => [
  kind.at,
  kind.ordinal,
  kind.offset,
  kind.idHash,
  kind.wordHash,
  kind.length,
  kind.idEntry,
  kind.wordEntry,
]

/** The file in parts of at most one column, which are written one after another. */
export function* encodeIndex(index: LayerIndex): Generator<Buffer> {
  const header: Header = {
    kinds: [...index].map(([name, { ranges, at, wordHash }]) => ({
      name,
      entries: at.length,
      words: wordHash.length,
      shelves: ranges,
    })),
  }
  const text = Buffer.from(JSON.stringify(header))
  const first = Buffer.concat([MAGIC, numbers(text.length), padded(text)])
  let checksum = crc32(first)
  yield first
  for (const kind of index.values())
    for (const column of columnsOf(kind)) {
      const part = padded(Buffer.from(column.buffer, column.byteOffset, column.byteLength))
      checksum = crc32(part, checksum)
      yield part
    }
  yield numbers(checksum)
}

function numbers(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeUInt32LE(value)
  return bytes
}

const padded = (bytes: Buffer) => Buffer.concat([bytes], aligned(bytes.length))

/** Throws if the file is damaged. The columns are views of the given bytes, which must not change. */
export function decodeIndex(bytes: Buffer): LayerIndex {
  const end = bytes.length - 8
  if (end < 16 || bytes.readUInt32LE(end) !== crc32(bytes.subarray(0, end)))
    throw new Error('its checksum does not match')
  if (!bytes.subarray(0, 8).equals(MAGIC)) throw new Error('it is not an index')
  const length = bytes.readUInt32LE(8)
  const header = JSON.parse(bytes.toString('utf8', 16, 16 + length)) as Header
  let at = 16 + aligned(length)
  const doubles = (count: number) => {
    const column = new Float64Array(bytes.buffer, bytes.byteOffset + at, count)
    at += count * 8
    return column
  }
  const words = (count: number) => {
    const column = new Uint32Array(bytes.buffer, bytes.byteOffset + at, count)
    at += aligned(count * 4)
    return column
  }
  return new Map(
    header.kinds.map(({ name, entries, words: named, shelves }) => [
      name,
      {
        ranges: shelves,
        at: doubles(entries),
        ordinal: doubles(entries),
        offset: doubles(entries),
        idHash: doubles(entries),
        wordHash: doubles(named),
        length: words(entries),
        idEntry: words(entries),
        wordEntry: words(named),
      },
    ]),
  )
}

/** An entry that an index is made of. */
interface IndexEntry {
  readonly id: number
  /** Null for a kind without words. */
  readonly word: number | null
  readonly facets: readonly string[]
  readonly at: number
  readonly ordinal: number
  readonly offset: number
  readonly length: number
}

/** The entries in list order. Most come in the order of their time, so there is little to sort. */
export async function inListOrder<E extends Pick<IndexEntry, 'facets' | 'at' | 'ordinal'>>(
  entries: Iterable<E>,
): Promise<E[]> {
  const byFacets = new Map<string, E[]>()
  let last: E[] = []
  await inSlices(entries, SLICE, entry => {
    // Most have the facets of the one before.
    if (!last[0] || !sameFacets(last[0].facets, entry.facets)) {
      const key = entry.facets.join('|')
      last = byFacets.get(key) ?? []
      byFacets.set(key, last)
    }
    last.push(entry)
  })
  const sorted: E[][] = []
  for (const alike of byFacets.values()) sorted.push(await sortInSlices(alike, comparePositions))
  return sorted.flat()
}

/** Makes an index of a given number of entries, which are added in list order. */
export class IndexDraft {
  readonly #columns: Pick<KindIndex, 'at' | 'ordinal' | 'offset' | 'length'>
  readonly #ranges: { readonly facets: readonly string[]; readonly start: number; end: number }[] = []
  readonly #ids: Float64Array
  readonly #words: Float64Array
  #count = 0

  constructor(size: number, hasWords: boolean) {
    this.#columns = {
      at: new Float64Array(size),
      ordinal: new Float64Array(size),
      offset: new Float64Array(size),
      length: new Uint32Array(size),
    }
    this.#ids = new Float64Array(size)
    this.#words = new Float64Array(hasWords ? size : 0)
  }

  add({ id, word, facets, at, ordinal, offset, length }: IndexEntry): void {
    const entry = this.#count++
    const columns = this.#columns
    columns.at[entry] = at
    columns.ordinal[entry] = ordinal
    columns.offset[entry] = offset
    columns.length[entry] = length
    this.#ids[entry] = id
    if (word !== null) this.#words[entry] = word
    const last = this.#ranges.at(-1)
    if (last && sameFacets(last.facets, facets)) last.end = entry + 1
    else this.#ranges.push({ facets, start: entry, end: entry + 1 })
  }

  async finish(): Promise<KindIndex> {
    const ids = await inHashOrder(this.#ids)
    const words = await inHashOrder(this.#words)
    return {
      ...this.#columns,
      ranges: this.#ranges,
      ...{ idHash: ids.hash, idEntry: ids.entry, wordHash: words.hash, wordEntry: words.entry },
    }
  }
}

/** The items in order; equal ones stay in theirs. Many of them are sorted in slices, and then merged. */
export async function sortInSlices<T>(items: T[], compare: (a: T, b: T) => number): Promise<T[]> {
  let runs: T[][] = []
  for (let from = 0; from < items.length; from += SLICE) {
    if (from > 0) await yieldToEventLoop()
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
    if (merged.length % SLICE === 0) await yieldToEventLoop()
  }
  return merged.concat(a.slice(nextA), b.slice(nextB))
}

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

/** The first place in ascending hashes that is not below this one. */
export function firstNotBelow(hashes: Float64Array, hash: number): number {
  let low = 0
  let high = hashes.length
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
      if (nth > 0 && nth % SLICE === 0) await yieldToEventLoop()
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
