import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { RepeatedParts } from '../../domain/stored-form.ts'
import { KINDS, restoreWorld, type StoredState, storeState } from '../../domain/stored-state.ts'
import { MutableWorld, type RecordKind, type RecordKinds, TABLES } from '../../domain/world.ts'
import { demandPrivateFolder, makePrivateFolder, removeFile } from '../store/private-files.ts'
import { messageOf, UnavailableError } from '../store/store-errors.ts'
import { inSlices } from '../time/scheduling.ts'
import { indexFile, Layer, type OpenRecordBytes, recordsFile } from './layer.ts'
import {
  bitsOf,
  MANIFEST,
  type Manifest,
  readManifest,
  type StoredLayer,
  setAside,
  storedLayer,
  supersededAtCheckpoint,
  writeManifest,
} from './manifest.ts'
import { PastTable } from './past-table.ts'
import { type Past, StoredTable, type VersionPosition } from './stored-table.ts'
import { type Changes, mergeLayers, supersedeSince, tooMany, writeLayer } from './write-layer.ts'

/** Entries that are marked without a pause: a millisecond of work. */
const AT_ONCE = 1024

/** What a world's tables do not have in memory. */
type StoredTables = { readonly [K in RecordKind]: StoredTable<RecordKinds[K]> }
type PastRecords = { readonly [K in RecordKind]: Past<RecordKinds[K]> }

const storedTables = (past: PastRecords): StoredTables => {
  const table = <K extends RecordKind>(kind: K) => new StoredTable<RecordKinds[K]>(TABLES[kind], past[kind])
  return Object.fromEntries(KINDS.map(kind => [kind, table(kind)])) as unknown as StoredTables
}

/** A moment of an account: its changes since the last checkpoint, and everything that is not in a table. */
interface Moment {
  readonly world: MutableWorld
  readonly stored: StoredTables
  readonly changes: Changes
  readonly state: StoredState
  /** What no longer counted in the layers at that moment. */
  readonly layers: readonly StoredLayer[]
}

interface CheckpointSettings {
  /** The folder of the journal's present edition. */
  readonly folder: () => string
  /** After how many entries the next checkpoint begins. */
  readonly every: number
  readonly hashSeed: number
  /** Resolves when the entry is safe in the journal. */
  readonly durable: (seq: number) => Promise<void> | undefined
  /** Called with the last entry that the checkpoint has. */
  readonly onWritten: (seq: number) => Promise<void>
  readonly warn: (message: string) => void
  /** What is wrong with the last checkpoint, if that is known already. */
  readonly damage?: string | undefined
  /** How the records of a layer of the last checkpoint are opened, if not as files. */
  readonly openRecords?: OpenRecordBytes
}

/**
 * An account's state, written from time to time while commands are executed. A checkpoint writes only what changed since the one
 * before, as a new layer of records, then replaces one small file that names all layers. So a crash leaves either
 * checkpoint whole. A start reads the indexes of the layers and the journal after the checkpoint.
 */
export class Checkpoints {
  #manifest: Manifest | undefined
  #layers: Layer[] = []
  #parts = new RepeatedParts()
  readonly tail = new Tail()
  #writing: Promise<void> | undefined
  #unwritten: Moment | undefined
  #world: MutableWorld | undefined
  /** Those of the world. Undefined until there is a checkpoint of it: most accounts never write one. */
  #stored: StoredTables | undefined
  #files: LayerFiles | undefined
  #closed = false
  #isDamaged = false

  private constructor(private readonly settings: CheckpointSettings) {}

  static async open(settings: CheckpointSettings): Promise<Checkpoints> {
    const checkpoints = new Checkpoints(settings)
    try {
      if (settings.damage !== undefined) throw new Error(settings.damage)
      await checkpoints.#read()
    } catch (cause) {
      await checkpoints.#closeLayers()
      // The checkpoint cannot be read now, but it may be complete.
      if (cause instanceof UnavailableError) throw cause
      checkpoints.#isDamaged = true
      checkpoints.#warn(`the checkpoint is damaged: ${messageOf(cause)}. The whole journal is read instead`)
    }
    await checkpoints.#layerFiles()
    return checkpoints
  }

  get #folder(): string {
    return this.settings.folder()
  }

  #warn(message: string): void {
    this.settings.warn(`${this.#folder}: ${message}`)
  }

  /** The last entry that the checkpoint has. */
  get seq(): number {
    return this.#manifest?.state.seq ?? 0
  }

  async #read(): Promise<void> {
    const { openRecords } = this.settings
    const manifest = await readManifest(this.#folder)
    for (const { superseded, ...named } of manifest?.layers ?? []) {
      const path = join(this.#folder, named.name)
      this.#layers.push(await Layer.open(path, named, kind => bitsOf({ superseded }, kind), openRecords))
    }
    this.#parts = new RepeatedParts(manifest?.parts)
    this.#manifest = manifest
  }

  /** Removes the files of checkpoints that were never finished. Call it when the start has all it needs. */
  async sweep(): Promise<void> {
    if (this.#isDamaged) await setAside(this.#folder)
    this.#isDamaged = false
    await this.#files?.sweep()
  }

  /** The names of its files. */
  get files(): readonly string[] {
    if (!this.#manifest) return []
    const layers = this.#manifest.layers.flatMap(({ name }) => [recordsFile(name), indexFile(name)])
    return [MANIFEST, ...layers]
  }

  async #layerFiles(): Promise<LayerFiles> {
    this.#files ??= await LayerFiles.find(this.#folder, this.#layers, this.#manifest?.written ?? 0)
    return this.#files
  }

  /** A world as it was at the last checkpoint. No earlier world of this account may be used after this. */
  world(): MutableWorld {
    const manifest = this.#manifest
    this.tail.begin()
    this.#stored = manifest && storedTables(this.#past(manifest.state.arrivals, () => world))
    const world: MutableWorld =
      manifest && this.#stored ? restoreWorld(manifest.state, this.#stored) : new MutableWorld()
    this.#world = world
    return world
  }

  /** Gives the world of the last checkpoint. The one before it can be read until `take` has succeeded. */
  async restore(take: (world: MutableWorld) => Promise<void>): Promise<void> {
    await this.#writing
    this.#unwritten = undefined
    let leaving = this.#layers
    this.#layers = []
    try {
      await this.#read()
      await take(this.world())
    } catch (cause) {
      ;[this.#layers, leaving] = [leaving, this.#layers]
      throw cause
    } finally {
      await closeAll(leaving)
      // Nobody else closes them if the account was closed meanwhile.
      if (this.#closed) await this.#closeLayers()
    }
  }

  /** Resolves when no checkpoint is being written. */
  async idle(): Promise<void> {
    await this.#writing
  }

  /** Another history begins, with this many entries. It has its own folder. */
  async startOver(world: MutableWorld, entries: number): Promise<void> {
    await this.#closeLayers()
    this.#manifest = undefined
    this.#files = undefined
    this.#parts = new RepeatedParts()
    this.#unwritten = undefined
    this.#world = world
    this.#stored = undefined
    this.tail.begin(entries)
    if (entries >= this.settings.every) void this.begin()
  }

  #past(arrivals: StoredState['arrivals'], world: () => MutableWorld): PastRecords {
    const { hashSeed } = this.settings
    const [layers, parts] = [this.#layers, this.#parts]
    const table = (kind: RecordKind) =>
      new PastTable({ kind, layers, hashSeed, parts, arrivals: arrivals[kind], world })
    return Object.fromEntries(KINDS.map(kind => [kind, table(kind)])) as unknown as PastRecords
  }

  /** Called after each entry. Begins a checkpoint when one is due, and returns what to wait for if nobody else waits. */
  noteEntry(bytes = 0, every = this.settings.every): Promise<void> | undefined {
    return this.tail.note(bytes, every) ? this.begin() : undefined
  }

  /** Begins a checkpoint if none is being written. */
  begin(): Promise<void> | undefined {
    if (this.#writing || this.#closed || this.tail.entries === 0) return undefined
    this.tail.begin()
    this.#writing = this.#write().finally(() => {
      this.#writing = undefined
    })
    return this.#writing
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#writing
    await this.#closeLayers()
  }

  async #closeLayers(): Promise<void> {
    const layers = this.#layers
    this.#layers = []
    await closeAll(layers)
  }

  /** A moment that could not be written is kept in memory, and written with the next attempt. */
  #take(): Moment | undefined {
    const world = this.#world
    if (this.#unwritten || !world) return this.#unwritten
    const layers = this.#layers.map(storedLayer)
    const state = storeState(world)
    this.#stored ??= storedTables(this.#past(state.arrivals, () => world))
    const stored = this.#stored
    const take = <K extends RecordKind>(kind: K) => stored[kind].take(world.table(kind))
    const changes = Object.fromEntries(KINDS.map(kind => [kind, take(kind)])) as unknown as Changes
    this.#unwritten = { world, stored, changes, state, layers }
    return this.#unwritten
  }

  async #write(): Promise<void> {
    const moment = this.#take()
    if (!moment) return
    try {
      await this.settings.durable(moment.state.seq)
      await this.#writeLayerOf(moment)
      await this.#mergeWhereManyAre()
      await this.settings.onWritten(moment.state.seq)
    } catch (cause) {
      // A journal that could not be written discards this world; a full disk is tried again later.
      if (this.#closed || this.#world !== moment.world) return
      this.#warn(`no checkpoint could be written: ${messageOf(cause)}. paysim tries again later`)
    }
  }

  async #writeLayerOf(moment: Moment): Promise<void> {
    await makePrivateFolder(this.#folder)
    const { number, name } = (await this.#layerFiles()).next()
    const path = join(this.#folder, name)
    const { hashSeed } = this.settings
    const how = { hashSeed, parts: this.#parts }
    const named = await writeLayer(path, name, moment.changes, how, () => this.#demandOpen())
    const layer = await Layer.open(path, named)
    const layers = [...moment.layers, { ...named, superseded: {} }]
    const content = { written: number, hashSeed, state: moment.state, parts: this.#parts.all, layers }
    const manifest = await writeManifest(this.#folder, content, layer)
    this.#manifest = manifest
    this.#layers = [...this.#layers, layer]
    this.#unwritten = undefined
    await this.#replaceOutdated(moment, manifest)
    this.#readFromLayers(moment, 'release')
  }

  /** Much may have changed while it was written. The world begins to read from the new layer when little is left. */
  async #replaceOutdated({ world, stored }: Moment, manifest: Manifest): Promise<void> {
    const past = this.#past(manifest.state.arrivals, () => world)
    for (const kind of KINDS) {
      let outdated: readonly VersionPosition[]
      do {
        outdated = stored[kind].takeOutdated()
        await inSlices(outdated, AT_ONCE, position => past[kind].replaceAt(position))
      } while (outdated.length > AT_ONCE)
    }
  }

  #demandOpen(): void {
    if (this.#closed) throw new Error('the account is closed')
  }

  async #mergeWhereManyAre(): Promise<void> {
    for (let few = tooMany(this.#layers); few; few = tooMany(this.#layers)) await this.#merge(few)
  }

  async #merge(few: readonly Layer[]): Promise<void> {
    const manifest = this.#manifest
    if (!manifest) return
    const then = new Map(few.map(layer => [layer, supersededAtCheckpoint(manifest, layer)]))
    const { number, name } = (await this.#layerFiles()).next()
    const path = join(this.#folder, name)
    const named = await mergeLayers(path, name, few, then, () => this.#demandOpen())
    const merged = await Layer.open(path, named)
    const others = manifest.layers.filter(({ name: other }) => !few.some(layer => layer.named.name === other))
    const after = [...others, { ...named, superseded: {} }]
    this.#manifest = await writeManifest(
      this.#folder,
      { ...manifest, written: number, layers: after },
      merged,
    )
    await supersedeSince(merged, then, () => {
      this.#layers = [...this.#layers.filter(layer => !few.includes(layer)), merged]
      if (this.#world && this.#stored)
        this.#readFromLayers({ world: this.#world, stored: this.#stored }, 'readFrom')
    })
    // Closes all of them first, because a file that cannot be removed must not keep the others open.
    await closeAll(few)
    for (const layer of few) await layer.remove()
  }

  /** The world reads from the current layers, and no longer holds the records that were just written. */
  #readFromLayers({ world, stored }: Pick<Moment, 'world' | 'stored'>, how: 'release' | 'readFrom'): void {
    if (this.#world !== world || !this.#manifest) return
    const past = this.#past(this.#manifest.state.arrivals, () => world)
    const read = <K extends RecordKind>(kind: K) => stored[kind][how](past[kind])
    for (const kind of KINDS) {
      read(kind)
      world.table(kind).lookAgain()
    }
  }
}

/** The names of the layers in a folder. A new one never gets the name of another. */
class LayerFiles {
  #last: number

  private constructor(
    private readonly folder: string,
    /** Files of layers that no checkpoint names, or only a damaged one. */
    private strays: readonly string[],
    last: number,
  ) {
    this.#last = last
  }

  static async find(folder: string, layers: readonly Layer[], written: number): Promise<LayerFiles> {
    const names = (await demandPrivateFolder(folder)) ? await readdir(folder) : []
    const kept = new Set(layers.map(({ named }) => named.name))
    const strays = names.filter(name => {
      const layer = nameIn(name)
      return layer !== undefined && !kept.has(layer)
    })
    const numbers = strays.map(name => Number(nameIn(name)?.slice('layer-'.length)))
    return new LayerFiles(folder, strays, Math.max(written, ...numbers))
  }

  /** The number of the next layer, and its name. */
  next(): { readonly number: number; readonly name: string } {
    const number = ++this.#last
    return { number, name: `layer-${String(number).padStart(6, '0')}` }
  }

  /** Removes the files that were never finished. Until then, a damaged checkpoint can still be restored from a copy. */
  async sweep(): Promise<void> {
    if (this.strays.length > 0) await demandPrivateFolder(this.folder)
    for (const name of this.strays) await removeFile(join(this.folder, name))
    this.strays = []
  }
}

const nameIn = (file: string) => /^(layer-\d+)\.(jsonl|index)$/.exec(file)?.[1]

async function closeAll(layers: readonly Layer[]): Promise<void> {
  for (const layer of layers) await layer.close()
}

/** What an account wrote since its last checkpoint was begun. The records that this changed are in memory. */
export class Tail {
  #entries = 0
  #bytes = 0

  get bytes(): number {
    return this.#bytes
  }

  get entries(): number {
    return this.#entries
  }

  /** True if a checkpoint is due. */
  note(bytes: number, every: number): boolean {
    this.#entries++
    this.#bytes += bytes
    return this.#entries >= every || this.#bytes >= BYTES_A_CHECKPOINT
  }

  begin(entries = 0): void {
    this.#entries = entries
    this.#bytes = 0
  }
}

/** After how many entries the changes since the last checkpoint are written. */
export const ENTRIES_A_CHECKPOINT = 16_384
/** Or after so many bytes of them. */
export const BYTES_A_CHECKPOINT = 64 * 1024 * 1024
/** From this size on, the journal's file becomes a segment when its entries are in a checkpoint. */
export const SEGMENT_BYTES = 4 * 1024 * 1024
