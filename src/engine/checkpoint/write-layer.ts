import type { FileHandle } from 'node:fs/promises'
import { type Facets, sameFacets } from '../../domain/list-index.ts'
import type { RepeatedParts } from '../../domain/stored-form.ts'
import { KINDS, storeRecord } from '../../domain/stored-state.ts'
import type { Item } from '../../domain/table.ts'
import { type RecordKind, type RecordKinds, TABLES } from '../../domain/world.ts'
import { sealLine } from '../journal/journal-format.ts'
import { useFile, writeAll } from '../store/private-files.ts'
import { yieldToEventLoop } from '../time/scheduling.ts'
import {
  type EntryBits,
  indexFile,
  isSet,
  type KindInLayer,
  type Layer,
  type LayerName,
  type LineReader,
  recordsFile,
} from './layer.ts'
import {
  encodeIndex,
  type FacetRange,
  type HashColumns,
  hashOf,
  IndexDraft,
  inListOrder,
  type KindIndex,
} from './layer-index.ts'

/** The changes of a table. */
interface Written<T> {
  all(): Iterable<Item<T> & { readonly facets: Facets }>
}

/** The changes of all tables, taken at one moment. */
export type Changes = { readonly [K in RecordKind]: Written<RecordKinds[K]> }

interface LayerSettings {
  readonly hashSeed: number
  readonly parts: RepeatedParts
}

/** How many records are written before other work gets its turn. */
const SLICE = 128

/** Writes the files of a new layer: whole on disk when it resolves. `fill` writes the records, and gives their index. */
async function writeLayerFiles(
  path: string,
  name: string,
  fill: (out: LineWriter) => Promise<ReadonlyMap<string, KindIndex>>,
): Promise<LayerName> {
  const { bytes, index } = await useFile(recordsFile(path), 'fresh', async handle => {
    const out = new LineWriter(handle)
    const index = await fill(out)
    await out.flush()
    await handle.datasync()
    return { bytes: out.bytes, index }
  })
  await useFile(indexFile(path), 'fresh', async handle => {
    for (const part of encodeIndex(index)) await writeAll(handle, part)
    await handle.datasync()
  })
  const entries = [...index.values()].reduce((total, { at }) => total + at.length, 0)
  return { name, bytes, entries }
}

/** Writes records into a new layer. */
export const writeLayer = (
  path: string,
  name: string,
  changes: Changes,
  settings: LayerSettings,
  /** Throws when the work is no longer needed. */
  demandOpen: () => void,
): Promise<LayerName> =>
  writeLayerFiles(path, name, async out => {
    const index = new Map<string, KindIndex>()
    for (const kind of KINDS) {
      const written = await writeKind(kind, changes[kind], settings, out, demandOpen)
      if (written.at.length > 0) index.set(kind, written)
    }
    return index
  })

async function writeKind<K extends RecordKind>(
  kind: K,
  changes: Written<RecordKinds[K]>,
  { hashSeed, parts }: LayerSettings,
  out: LineWriter,
  demandOpen: () => void,
): Promise<KindIndex> {
  const items = await inListOrder(changes.all())
  const wordOf = TABLES[kind].word
  const draft = new IndexDraft(items.length, wordOf !== undefined)
  let count = 0
  for (const { id, at, ordinal, facets, record } of items) {
    const line = sealLine(JSON.stringify({ id, kind, at, ordinal, record: storeRecord(kind, record, parts) }))
    const offset = out.bytes
    const adding = out.add(line)
    const length = typeof adding === 'number' ? adding : await adding
    const word = wordOf ? hashOf(wordOf(record), hashSeed) : null
    draft.add({ id: hashOf(id, hashSeed), word, facets, at, ordinal, offset, length: length - 1 })
    if (++count % SLICE > 0) continue
    await yieldToEventLoop()
    demandOpen()
  }
  return draft.finish()
}

/** Enough for about a thousand records, so that few writes are needed. */
const ROOM = 256 * 1024
/** A character takes at most this many bytes in UTF-8. */
const BYTES_A_CHARACTER = 3

/** Writes lines in large pieces. They are put together in one buffer, which is used again and again. */
class LineWriter {
  /** How many were added. */
  bytes = 0
  readonly #room = Buffer.allocUnsafeSlow(ROOM)
  #used = 0

  constructor(private readonly handle: FileHandle) {}

  /** Returns the length of the line in bytes, or a promise if it had to wait for the disk. */
  add(line: string | Buffer): number | Promise<number> {
    const most = typeof line === 'string' ? line.length * BYTES_A_CHARACTER : line.length
    return this.#used + most > ROOM ? this.#addToEmpty(line, most) : this.#put(line)
  }

  #put(line: string | Buffer): number {
    const length =
      typeof line === 'string' ? this.#room.write(line, this.#used) : line.copy(this.#room, this.#used)
    this.#used += length
    this.bytes += length
    return length
  }

  async #addToEmpty(line: string | Buffer, most: number): Promise<number> {
    await this.flush()
    if (most <= ROOM) return this.#put(line)
    const bytes = Buffer.from(line)
    await writeAll(this.handle, bytes)
    this.bytes += bytes.length
    return bytes.length
  }

  async flush(): Promise<void> {
    const used = this.#used
    this.#used = 0
    await writeAll(this.handle, this.#room.subarray(0, used))
  }
}

/** How many entries are merged before other work gets its turn. */
const MERGED_SLICE = 1024
const DROPPED = 0xffffffff

/** How many layers of about one size are merged into one. */
const LAYERS_OF_A_SIZE = 4
/** Larger layers are not merged, so that a merge stays short and needs little memory. */
const LARGEST_MERGE = 500_000

/** Layers of about one size, if there are so many of them that they should be one. */
export function tooMany(layers: readonly Layer[]): readonly Layer[] | undefined {
  const bySize = new Map<number, Layer[]>()
  for (const layer of layers) {
    if (layer.live > LARGEST_MERGE) continue
    const size = Math.floor(Math.log(Math.max(1, layer.live)) / Math.log(LAYERS_OF_A_SIZE))
    bySize.set(size, [...(bySize.get(size) ?? []), layer])
  }
  return [...bySize.values()].find(few => few.length >= LAYERS_OF_A_SIZE)
}

/** One kind of one layer, with the entries that no longer counted at the time of the checkpoint. */
interface Source {
  readonly kind: KindInLayer
  readonly superseded: Uint8Array
  readonly lines: LineReader
  /** Where each entry is in the merged layer. */
  readonly target: Uint32Array
}

/**
 * Writes the entries of several layers that still count into one new layer. All of them are in list order, so they are
 * merged in one pass, and their files are read from start to end.
 */
export const mergeLayers = (
  path: string,
  name: string,
  layers: readonly Layer[],
  /** Which entries no longer counted at the time of the checkpoint. */
  supersededThen: ReadonlyMap<Layer, EntryBits>,
  /** Throws when the work is no longer needed. */
  demandOpen: () => void,
): Promise<LayerName> =>
  writeLayerFiles(path, name, async out => {
    const index = new Map<string, KindIndex>()
    for (const kindName of new Set(layers.flatMap(({ kinds }) => [...kinds.keys()]))) {
      const sources = layers.flatMap((layer): Source[] => {
        const kind = layer.kinds.get(kindName)
        if (!kind) return []
        const target = new Uint32Array(kind.index.at.length).fill(DROPPED)
        const superseded = supersededThen.get(layer)?.get(kindName) ?? new Uint8Array(kind.superseded.length)
        return [{ kind, superseded, lines: layer.reader(), target }]
      })
      const merged = await mergeKind(sources, out, demandOpen)
      if (merged.at.length > 0) index.set(kindName, merged)
    }
    return index
  })

/** What was replaced in the sources while they were merged. `take` is called when the merged layer has all of it. */
export async function supersedeSince(
  merged: Layer,
  then: ReadonlyMap<Layer, EntryBits>,
  take: () => void,
): Promise<void> {
  let since = then
  let count: number
  do {
    count = 0
    const now = new Map([...since.keys()].map(layer => [layer, layer.superseded]))
    for (const [layer, before] of since)
      for (const _ of merged.supersedeAsIn(layer, before, now.get(layer) ?? before))
        if (++count % MERGED_SLICE === 0) await yieldToEventLoop()
    since = now
  } while (count >= MERGED_SLICE)
  take()
}

async function mergeKind(
  sources: readonly Source[],
  out: LineWriter,
  demandOpen: () => void,
): Promise<KindIndex> {
  const size = sources.reduce((total, source) => total + livingEntries(source), 0)
  const at = new Float64Array(size)
  const ordinal = new Float64Array(size)
  const offset = new Float64Array(size)
  const length = new Uint32Array(size)
  const ranges: FacetRange[] = []
  let next = 0
  for (const facets of facetsOf(sources)) {
    const start = next
    const heads = sources.flatMap(source => headOf(source, facets) ?? [])
    while (heads.length > 0) {
      const head = heads.reduce((lowest, other) => (isLower(other, lowest) ? other : lowest))
      const { source, entry } = head
      const columns = source.kind.index
      const bytes = source.lines.lineAt(columns.offset[entry] ?? 0, (columns.length[entry] ?? 0) + 1)
      at[next] = columns.at[entry] ?? 0
      ordinal[next] = columns.ordinal[entry] ?? 0
      length[next] = columns.length[entry] ?? 0
      offset[next] = out.bytes
      source.target[entry] = next
      const adding = out.add(bytes instanceof Promise ? await bytes : bytes)
      if (adding instanceof Promise) await adding
      if (!advance(head)) heads.splice(heads.indexOf(head), 1)
      if (++next % MERGED_SLICE === 0) {
        await yieldToEventLoop()
        demandOpen()
      }
    }
    if (next > start) ranges.push({ facets, start, end: next })
  }
  const ids = await mergeHashes(sources, ({ idHash, idEntry }) => ({ hash: idHash, entry: idEntry }))
  const words = await mergeHashes(sources, ({ wordHash, wordEntry }) => ({
    hash: wordHash,
    entry: wordEntry,
  }))
  return {
    ...{ ranges, at, ordinal, offset, length },
    ...{ idHash: ids.hash, idEntry: ids.entry, wordHash: words.hash, wordEntry: words.entry },
  }
}

function livingEntries(source: Source): number {
  let living = 0
  for (let entry = 0; entry < source.target.length; entry++) if (!isSet(source.superseded, entry)) living++
  return living
}

function facetsOf(sources: readonly Source[]): Iterable<readonly string[]> {
  const all = new Map<string, readonly string[]>()
  for (const { kind } of sources)
    for (const { facets } of kind.index.ranges) all.set(facets.join('|'), facets)
  return all.values()
}

/** The next entry of a range. */
interface Head {
  readonly source: Source
  readonly end: number
  entry: number
}

function headOf(source: Source, facets: readonly string[]): Head | undefined {
  const range = source.kind.index.ranges.find(each => sameFacets(each.facets, facets))
  if (!range) return undefined
  const head = { source, end: range.end, entry: range.start - 1 }
  return advance(head) ? head : undefined
}

function advance(head: Head): boolean {
  do head.entry++
  while (head.entry < head.end && isSet(head.source.superseded, head.entry))
  return head.entry < head.end
}

function isLower(a: Head, b: Head): boolean {
  const [ofA, ofB] = [a.source.kind.index, b.source.kind.index]
  const time = (ofA.at[a.entry] ?? 0) - (ofB.at[b.entry] ?? 0)
  return time < 0 || (time === 0 && (ofA.ordinal[a.entry] ?? 0) < (ofB.ordinal[b.entry] ?? 0))
}

/** The hashes of all sources in ascending order, each with its entry in the merged layer. */
async function mergeHashes(
  sources: readonly Source[],
  of: (index: KindIndex) => HashColumns,
): Promise<HashColumns> {
  const inputs = sources.map(({ kind, target }) => ({ ...of(kind.index), target, at: 0 }))
  const skip = (input: (typeof inputs)[number]) => {
    while (input.at < input.hash.length && input.target[input.entry[input.at] ?? 0] === DROPPED) input.at++
  }
  let size = 0
  for (const { entry, target } of inputs) for (const each of entry) if (target[each] !== DROPPED) size++
  const hash = new Float64Array(size)
  const entry = new Uint32Array(size)
  inputs.forEach(skip)
  for (let next = 0; next < size; next++) {
    let lowest: (typeof inputs)[number] | undefined
    for (const input of inputs)
      if (
        input.at < input.hash.length &&
        (!lowest || (input.hash[input.at] ?? 0) < (lowest.hash[lowest.at] ?? 0))
      )
        lowest = input
    if (!lowest) break
    hash[next] = lowest.hash[lowest.at] ?? 0
    entry[next] = lowest.target[lowest.entry[lowest.at] ?? 0] ?? 0
    lowest.at++
    skip(lowest)
    if (next % (8 * MERGED_SLICE) === 0) await yieldToEventLoop()
  }
  return { hash, entry }
}
