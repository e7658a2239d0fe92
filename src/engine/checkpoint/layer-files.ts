import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { demandPrivateFolder, removeFile } from '../private-files.ts'
import type { Layer } from './layer.ts'

/** The names of the layers in a folder. A new one never gets the name of another. */
export class LayerFiles {
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

export async function closeAll(layers: readonly Layer[]): Promise<void> {
  for (const layer of layers) await layer.close()
}
