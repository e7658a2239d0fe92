import { mkdir, open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Unavailable } from './unavailable.ts'

/** Images by the SHA-256 of their bytes. One that is stored is never changed. */
export interface ImageStore {
  put(digest: string, bytes: Buffer): Promise<void>
  get(digest: string): Promise<Buffer | undefined>
  clear(): Promise<void>
}

export class MemoryImages implements ImageStore {
  readonly #images = new Map<string, Buffer>()

  async put(digest: string, bytes: Buffer): Promise<void> {
    this.#images.set(digest, bytes)
  }

  async get(digest: string): Promise<Buffer | undefined> {
    return this.#images.get(digest)
  }

  async clear(): Promise<void> {
    this.#images.clear()
  }
}

export class FileImages implements ImageStore {
  #writes = 0

  constructor(
    private readonly directory: string,
    private readonly sync: boolean,
  ) {}

  /** Written aside and then named: an image is there whole or not at all. */
  async put(digest: string, bytes: Buffer): Promise<void> {
    const path = this.#path(digest)
    const draft = `${path}.${++this.#writes}.new`
    try {
      await mkdir(this.directory, { recursive: true })
      const handle = await open(draft, 'w')
      try {
        await handle.writeFile(bytes)
        if (this.sync) await handle.datasync()
      } finally {
        await handle.close()
      }
      await rename(draft, path)
    } catch (cause) {
      await rm(draft, { force: true }).catch(() => {})
      throw new Unavailable('The image', cause)
    }
  }

  async get(digest: string): Promise<Buffer | undefined> {
    try {
      return await readFile(this.#path(digest))
    } catch {
      return undefined
    }
  }

  async clear(): Promise<void> {
    await rm(this.directory, { recursive: true, force: true })
  }

  #path(digest: string): string {
    return join(this.directory, digest)
  }
}
