import { yieldToEventLoop } from '../time/scheduling.ts'
import {
  type EntryBits,
  isSet,
  type KindInLayer,
  type Layer,
  type LayerName,
  type LineReader,
} from './layer.ts'
import { type FacetRange, type HashColumns, type KindIndex, sameFacets } from './layer-index.ts'
import { type LineWriter, writeLayerFiles } from './write-layer.ts'

/** How many entries are merged before other work gets its turn. */
const SLICE = 1024
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
        if (++count % SLICE === 0) await yieldToEventLoop()
    since = now
  } while (count >= SLICE)
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
      if (++next % SLICE === 0) {
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
    if (next % (8 * SLICE) === 0) await yieldToEventLoop()
  }
  return { hash, entry }
}
