import { crc32 } from 'node:zlib'
import { comparePositions } from '../../domain/list-index.ts'
import { inSlices } from '../other-work.ts'
import { inHashOrder } from './id-hash.ts'
import { sortInSlices } from './sort-in-slices.ts'

/**
 * The index of a layer, as a file of columns. It says where each record is, in list order and by id, so that a start
 * reads this much and no record. It is derived from the records, which can be read without it.
 */

/** The entries of one combination of facets, from `start` to before `end`. */
export interface ShelfRange {
  readonly facets: readonly string[]
  readonly start: number
  readonly end: number
}

/** One kind of record. All columns but the last four are in list order: by shelf, then time, then ordinal. */
export interface KindIndex {
  readonly shelves: readonly ShelfRange[]
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

export type LayerIndex = ReadonlyMap<string, KindIndex>

interface Header {
  readonly kinds: readonly { name: string; entries: number; words: number; shelves: readonly ShelfRange[] }[]
}

/** How many entries are looked at before other work gets its turn. */
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
    kinds: [...index].map(([name, { shelves, at, wordHash }]) => ({
      name,
      entries: at.length,
      words: wordHash.length,
      shelves,
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
        shelves,
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
export interface IndexEntry {
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
  const shelves = new Map<string, E[]>()
  let last: E[] = []
  await inSlices(entries, SLICE, entry => {
    // Most stand on one shelf with the one before.
    if (!last[0] || !sameFacets(last[0].facets, entry.facets)) last = shelfOf(shelves, entry.facets)
    last.push(entry)
  })
  const sorted: E[][] = []
  for (const shelf of shelves.values()) sorted.push(await sortInSlices(shelf, comparePositions))
  return sorted.flat()
}

function shelfOf<E>(shelves: Map<string, E[]>, facets: readonly string[]): E[] {
  const key = facets.join('|')
  let shelf = shelves.get(key)
  if (!shelf) {
    shelf = []
    shelves.set(key, shelf)
  }
  return shelf
}

export const sameFacets = (a: readonly string[], b: readonly string[]) =>
  a.length === b.length && a.every((facet, nth) => facet === b[nth])

/** Makes an index of a given number of entries, which are added in list order. */
export class IndexDraft {
  readonly #columns: Pick<KindIndex, 'at' | 'ordinal' | 'offset' | 'length'>
  readonly #shelves: { readonly facets: readonly string[]; readonly start: number; end: number }[] = []
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
    this.#shelve(entry, facets)
  }

  #shelve(entry: number, facets: readonly string[]): void {
    const last = this.#shelves.at(-1)
    if (last && sameFacets(last.facets, facets)) last.end = entry + 1
    else this.#shelves.push({ facets, start: entry, end: entry + 1 })
  }

  async finish(): Promise<KindIndex> {
    const ids = await inHashOrder(this.#ids)
    const words = await inHashOrder(this.#words)
    return {
      ...this.#columns,
      shelves: this.#shelves,
      ...{ idHash: ids.hash, idEntry: ids.entry, wordHash: words.hash, wordEntry: words.entry },
    }
  }
}
