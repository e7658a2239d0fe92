import { createHash } from 'node:crypto'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { demandPrivateFolder, makePrivateFolder, openPrivate, removeFile } from './private-files.ts'
import { UnavailableError } from './unavailable.ts'

/** The name of an image: the SHA-256 of its bytes. */
const DIGEST = /^[0-9a-f]{64}$/
export const digestOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')

/** Images by the SHA-256 of their bytes. A stored image never changes. */
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

  /** Written to another name and then renamed, so an image is complete or not there. */
  async put(digest: string, bytes: Buffer): Promise<void> {
    const path = this.#path(digest)
    const draft = `${path}.${++this.#writes}.new`
    try {
      await makePrivateFolder(this.directory)
      const handle = await openPrivate(draft, 'fresh')
      try {
        await handle.writeFile(bytes)
        if (this.sync) await handle.datasync()
      } finally {
        await handle.close()
      }
      await rename(draft, path)
    } catch (cause) {
      await removeFile(draft).catch(() => {})
      throw new UnavailableError('The image', cause)
    }
  }

  /** An image that was changed on disk counts as missing. */
  async get(digest: string): Promise<Buffer | undefined> {
    const path = this.#path(digest)
    if (!(await demandPrivateFolder(this.directory))) return undefined
    try {
      const handle = await openPrivate(path, 'read')
      const bytes = await handle.readFile().finally(() => handle.close())
      return digestOf(bytes) === digest ? bytes : undefined
    } catch (cause) {
      // The file cannot be read now, but it may be whole.
      if (cause instanceof UnavailableError) throw cause
      return undefined
    }
  }

  async clear(): Promise<void> {
    await rm(this.directory, { recursive: true, force: true })
  }

  /** Checked here, because a digest may come from an import. */
  #path(digest: string): string {
    if (!DIGEST.test(digest)) throw new Error(`there is no image ${JSON.stringify(digest)}`)
    return join(this.directory, digest)
  }
}
