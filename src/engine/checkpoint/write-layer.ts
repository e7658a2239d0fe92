import type { FileHandle } from 'node:fs/promises'
import type { RepeatedParts } from '../../domain/stored-form.ts'
import { KINDS, storeRecord } from '../../domain/stored-state.ts'
import type { Written } from '../../domain/table.ts'
import { type MutableWorld, type RecordKind, type RecordKinds, TABLES } from '../../domain/world.ts'
import { sealLine } from '../journal/journal-format.ts'
import { useFile, writeAll } from '../store/private-files.ts'
import { yieldToEventLoop } from '../time/scheduling.ts'
import { indexFile, type LayerName, recordsFile } from './layer.ts'
import { encodeIndex, hashOf, IndexDraft, inListOrder, type KindIndex } from './layer-index.ts'

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

/** Writes the files of a new layer: whole on disk when it resolves. `fill` writes the records, and gives their index. */
export async function writeLayerFiles(
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
    await yieldToEventLoop()
    demandOpen()
  }
  return draft.finish()
}

function* present<T>(changes: Written<T>) {
  for (const item of changes.values()) if (item !== null) yield item
}

/** Enough for about a thousand records, so that few writes are needed. */
const ROOM = 256 * 1024
/** A character takes at most this many bytes in UTF-8. */
const BYTES_A_CHARACTER = 3

/** Writes lines in large pieces. They are put together in one buffer, which is used again and again. */
export class LineWriter {
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
