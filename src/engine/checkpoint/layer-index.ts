import { crc32 } from 'node:zlib'
import { comparePositions } from '../../domain/list-index.ts'

/**
 * The index of a layer, as a file of columns. It says where each record is, in list order and by id, so that a start
 * reads this much and no record. It is derived from the records: whoever wants to read them needs no index.
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

export function encodeIndex(index: LayerIndex): Buffer {
  const header: Header = {
    kinds: [...index].map(([name, { shelves, at, wordHash }]) => ({
      name,
      entries: at.length,
      words: wordHash.length,
      shelves,
    })),
  }
  const text = Buffer.from(JSON.stringify(header))
  const parts = [MAGIC, numbers(text.length), padded(text)]
  for (const kind of index.values())
    for (const column of columnsOf(kind))
      parts.push(padded(Buffer.from(column.buffer, column.byteOffset, column.byteLength)))
  const body = Buffer.concat(parts)
  return Buffer.concat([body, numbers(crc32(body))])
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
  offset: number
  length: number
}

/** The entries in list order. Most come in the order of their time, so there is little to sort. */
export function inListOrder<E extends Pick<IndexEntry, 'facets' | 'at' | 'ordinal'>>(
  entries: Iterable<E>,
): E[] {
  const shelves = new Map<string, E[]>()
  for (const entry of entries) {
    const key = entry.facets.join('|')
    const shelf = shelves.get(key)
    if (shelf) shelf.push(entry)
    else shelves.set(key, [entry])
  }
  return [...shelves.values()].flatMap(shelf => shelf.sort(comparePositions))
}

/** The index of entries that are in list order. */
export function indexOf(entries: readonly IndexEntry[]): KindIndex {
  const column = (member: 'at' | 'ordinal' | 'offset') => Float64Array.from(entries, entry => entry[member])
  const named = entries.flatMap(({ word }, nth) => (word === null ? [] : [{ hash: word, entry: nth }]))
  const ids = sortedHashes(entries.map(({ id }, nth) => ({ hash: id, entry: nth })))
  const words = sortedHashes(named)
  return {
    shelves: shelvesOf(entries),
    at: column('at'),
    ordinal: column('ordinal'),
    offset: column('offset'),
    length: Uint32Array.from(entries, ({ length }) => length),
    idHash: ids.hashes,
    idEntry: ids.entries,
    wordHash: words.hashes,
    wordEntry: words.entries,
  }
}

function shelvesOf(entries: readonly IndexEntry[]): ShelfRange[] {
  const shelves: { facets: readonly string[]; start: number; end: number; key: string }[] = []
  entries.forEach(({ facets }, nth) => {
    const key = facets.join('|')
    const last = shelves.at(-1)
    if (last?.key === key) last.end = nth + 1
    else shelves.push({ key, facets, start: nth, end: nth + 1 })
  })
  return shelves.map(({ key: _, ...range }) => range)
}

/** Entries with the same hash stay in list order. */
function sortedHashes(pairs: { hash: number; entry: number }[]) {
  pairs.sort((a, b) => a.hash - b.hash || a.entry - b.entry)
  return {
    hashes: Float64Array.from(pairs, ({ hash }) => hash),
    entries: Uint32Array.from(pairs, ({ entry }) => entry),
  }
}
