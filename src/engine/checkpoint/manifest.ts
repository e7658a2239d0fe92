import { rename } from 'node:fs/promises'
import { join } from 'node:path'
import type { StoredState } from '../../domain/stored-state.ts'
import { openSealed, sealLine } from '../journal/journal-format.ts'
import { codeOf, replaceFile, syncDirectory, unless, useFile } from '../store/private-files.ts'
import type { EntryBits, Layer, LayerName } from './layer.ts'

/** Before version 3, deliveries were not listed by time and state. The journal has all that such a checkpoint had. */
const VERSION = 3

/** For each kind of record, which entries no longer count: a bit each, in base64. */
type SupersededBits = { readonly [kind: string]: string }

/** A layer as it was at the time of the checkpoint. */
export interface StoredLayer extends LayerName {
  readonly superseded: SupersededBits
}

/** The file that makes a checkpoint: a state of the account, and the layers that have its records. */
export interface Manifest {
  readonly v: number
  /** The number of the last layer that was written. */
  readonly written: number
  readonly hashSeed: number
  readonly state: StoredState
  /** What many records have in common, by name. */
  readonly parts: Readonly<Record<string, unknown>>
  readonly layers: readonly StoredLayer[]
}

export const MANIFEST = 'checkpoint.json'
const fileIn = (folder: string) => join(folder, MANIFEST)

/** A damaged checkpoint keeps its bytes under another name; the next one takes its place. */
export async function setAside(folder: string): Promise<void> {
  await rename(fileIn(folder), `${fileIn(folder)}.damaged`).catch(unless('ENOENT'))
}

/** Undefined if there is no checkpoint yet; throws if it is damaged. */
export async function readManifest(folder: string): Promise<Manifest | undefined> {
  let text: string
  try {
    text = await useFile(fileIn(folder), 'read', handle => handle.readFile('utf8'))
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined
    throw cause
  }
  const manifest = openSealed<Manifest>(text.trimEnd())
  if (manifest.v !== VERSION) throw new Error(`its version is ${String(manifest.v)}`)
  return manifest
}

/** The layers must be whole on disk before. If this fails, nobody reads the newest of them, and it is closed. */
export async function writeManifest(
  folder: string,
  content: Omit<Manifest, 'v'>,
  newest: Layer,
): Promise<Manifest> {
  const manifest: Manifest = { v: VERSION, ...content }
  try {
    await syncDirectory(folder)
    await replaceFile(fileIn(folder), [sealLine(JSON.stringify(manifest))], handle => handle.close())
    return manifest
  } catch (cause) {
    await newest.close()
    throw cause
  }
}

export function storedLayer(layer: Layer): StoredLayer {
  const some = [...layer.kinds].filter(([, kind]) => kind.live < kind.index.at.length)
  const bits = some.map(([name, { superseded }]) => [name, Buffer.from(superseded).toString('base64')])
  return { ...layer.named, superseded: Object.fromEntries(bits) }
}

export function bitsOf(
  { superseded }: Pick<StoredLayer, 'superseded'>,
  kind: string,
): Uint8Array | undefined {
  const bits = superseded[kind]
  return bits === undefined ? undefined : new Uint8Array(Buffer.from(bits, 'base64'))
}

/** Which entries of a layer no longer counted at the time of the checkpoint. */
export function supersededAtCheckpoint({ layers }: Manifest, { named, kinds }: Layer): EntryBits {
  const stored = layers.find(({ name }) => name === named.name)
  return new Map(
    [...kinds].map(([kind, { superseded }]) => [
      kind,
      (stored && bitsOf(stored, kind)) ?? new Uint8Array(superseded.length),
    ]),
  )
}
