import type { RepeatedParts } from '../../domain/repeated-parts.ts'
import { storeRecord } from '../../domain/stored-records.ts'
import { KINDS } from '../../domain/stored-state.ts'
import type { Written } from '../../domain/table.ts'
import { type MutableWorld, type RecordKind, type RecordKinds, TABLES } from '../../domain/world.ts'
import { sealLine } from '../journal-format.ts'
import { otherWork } from '../other-work.ts'
import { openPrivate, writeAll } from '../private-files.ts'
import { hashOf } from './id-hash.ts'
import { indexFile, type LayerName, recordsFile } from './layer.ts'
import { encodeIndex, IndexDraft, inListOrder, type KindIndex } from './layer-index.ts'
import { LineWriter } from './line-writer.ts'

/** The changes of all tables, taken at one moment. */
export type Changes = { readonly [K in RecordKind]: Written<RecordKinds[K]> }

export const takeChanges = (world: MutableWorld): Changes =>
  Object.fromEntries(KINDS.map(kind => [kind, world.table(kind).takeChanges()])) as unknown as Changes

interface LayerSettings {
  readonly hashSeed: number
  readonly parts: RepeatedParts
}

/** How many records are written before other work gets its turn. */
const SLICE = 256

/** Writes records into a new layer: whole on disk when it resolves. */
export async function writeLayer(
  path: string,
  name: string,
  changes: Changes,
  { hashSeed, parts }: LayerSettings,
  /** Throws when the work is no longer needed. */
  demandOpen: () => void,
): Promise<LayerName> {
  const handle = await openPrivate(recordsFile(path), 'fresh')
  const out = new LineWriter(handle)
  let entries = 0
  const index = new Map<string, KindIndex>()
  try {
    for (const kind of KINDS) {
      const written = await writeKind(kind, changes[kind], { hashSeed, parts }, out, demandOpen)
      if (written.at.length > 0) index.set(kind, written)
      entries += written.at.length
    }
    await out.flush()
    await handle.datasync()
  } finally {
    await handle.close()
  }
  await writeWhole(indexFile(path), encodeIndex(index))
  return { name, bytes: out.bytes, entries }
}

async function writeKind<K extends RecordKind>(
  kind: K,
  changes: Written<RecordKinds[K]>,
  { hashSeed, parts }: LayerSettings,
  out: LineWriter,
  demandOpen: () => void,
): Promise<KindIndex> {
  const items = await inListOrder(present(changes))
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
    await otherWork()
    demandOpen()
  }
  return draft.finish()
}

function* present<T>(changes: Written<T>) {
  for (const item of changes.values()) if (item !== null) yield item
}

export async function writeWhole(path: string, parts: Iterable<Buffer>): Promise<void> {
  const handle = await openPrivate(path, 'fresh')
  try {
    for (const part of parts) await writeAll(handle, part)
    await handle.datasync()
  } finally {
    await handle.close()
  }
}
