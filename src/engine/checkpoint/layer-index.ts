import { crc32 } from 'node:zlib'
import { comparePositions } from '../../domain/list-index.ts'
import { inSlices } from '../other-work.ts'
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
  for await (const entry of inSlices(entries, SLICE)) {
    const key = entry.facets.join('|')
    const shelf = shelves.get(key)
    if (shelf) shelf.push(entry)
    else shelves.set(key, [entry])
  }
  const sorted: E[][] = []
  for (const shelf of shelves.values()) sorted.push(await sortInSlices(shelf, comparePositions))
  return sorted.flat()
}

/** Makes an index of a given number of entries, which are added in list order. */
export class IndexDraft {
  readonly #columns: Pick<KindIndex, 'at' | 'ordinal' | 'offset' | 'length'>
  readonly #shelves: { readonly facets: readonly string[]; readonly start: number; end: number }[] = []
  readonly #ids: Hashed[] = []
  readonly #words: Hashed[] = []
  #lastFacets = ''

  constructor(size: number) {
    this.#columns = {
      at: new Float64Array(size),
      ordinal: new Float64Array(size),
      offset: new Float64Array(size),
      length: new Uint32Array(size),
    }
  }

  add({ id, word, facets, at, ordinal, offset, length }: IndexEntry): void {
    const entry = this.#ids.length
    const columns = this.#columns
    columns.at[entry] = at
    columns.ordinal[entry] = ordinal
    columns.offset[entry] = offset
    columns.length[entry] = length
    this.#ids.push({ hash: id, entry })
    if (word !== null) this.#words.push({ hash: word, entry })
    this.#shelve(entry, facets)
  }

  #shelve(entry: number, facets: readonly string[]): void {
    const key = facets.join('|')
    const last = this.#shelves.at(-1)
    if (last && key === this.#lastFacets) last.end = entry + 1
    else this.#shelves.push({ facets, start: entry, end: entry + 1 })
    this.#lastFacets = key
  }

  async finish(): Promise<KindIndex> {
    const ids = await sortInSlices(this.#ids, byHash)
    const words = await sortInSlices(this.#words, byHash)
    return {
      ...this.#columns,
      shelves: this.#shelves,
      idHash: Float64Array.from(ids, ({ hash }) => hash),
      idEntry: Uint32Array.from(ids, ({ entry }) => entry),
      wordHash: Float64Array.from(words, ({ hash }) => hash),
      wordEntry: Uint32Array.from(words, ({ entry }) => entry),
    }
  }
}

interface Hashed {
  readonly hash: number
  readonly entry: number
}

/** Entries with the same hash stay in list order. */
const byHash = (a: Hashed, b: Hashed) => a.hash - b.hash || a.entry - b.entry
