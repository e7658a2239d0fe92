import type { FileHandle } from 'node:fs/promises'
import { DamagedError } from './damaged-error.ts'
import { openPrivate, replaceFile } from './private-files.ts'

/** How many unused files stay open. Many systems let a process open only 4,096 files. */
const MOST_IDLE = 500

/** The least recently used comes first. */
const idle = new Set<KeptFile>()

/**
 * A file for reading and appending that is used again and again. It is open while somebody uses it; after that it is
 * closed only if many others are open. When it is opened again, it must still be the same file.
 */
export class KeptFile {
  #handle: Promise<FileHandle> | undefined
  #users = 0

  private constructor(
    private readonly path: string,
    private readonly identity: string,
    handle: FileHandle,
  ) {
    this.#handle = Promise.resolve(handle)
  }

  static async open(path: string): Promise<KeptFile> {
    const file = await KeptFile.#of(path, await openPrivate(path, 'append'))
    file.#rest()
    return file
  }

  /** Replaces a file by one with these lines. If that fails, the old one stays. */
  static async replace(path: string, lines: Iterable<string>): Promise<{ file: KeptFile; size: number }> {
    const fresh = await replaceFile(path, lines, async handle => ({
      size: (await handle.stat()).size,
      file: await KeptFile.#of(path, handle),
    }))
    fresh.file.#rest()
    return fresh
  }

  static async #of(path: string, handle: FileHandle): Promise<KeptFile> {
    return new KeptFile(path, await identityOf(handle), handle)
  }

  /** Keeps it open until `release`. */
  async hold(): Promise<FileHandle> {
    idle.delete(this)
    this.#users += 1
    this.#handle ??= this.#openAgain()
    const opening = this.#handle
    try {
      return await opening
    } catch (cause) {
      if (this.#handle === opening) this.#handle = undefined
      this.release()
      throw cause
    }
  }

  release(): void {
    this.#users -= 1
    if (this.#users === 0 && this.#handle) this.#rest()
  }

  async use<T>(work: (handle: FileHandle) => Promise<T>): Promise<T> {
    const handle = await this.hold()
    try {
      return await work(handle)
    } finally {
      this.release()
    }
  }

  #rest(): void {
    idle.add(this)
    const [oldest] = idle
    if (idle.size > MOST_IDLE) oldest?.close().catch(() => {})
  }

  async #openAgain(): Promise<FileHandle> {
    const handle = await openPrivate(this.path, 'present')
    if ((await identityOf(handle)) === this.identity) return handle
    await handle.close()
    throw new DamagedError(this.path, 'another file has taken its place')
  }

  async close(): Promise<void> {
    idle.delete(this)
    const handle = this.#handle
    this.#handle = undefined
    await (await handle)?.close()
  }
}

/** Which file a handle is for. Closes it if the system does not say. */
async function identityOf(handle: FileHandle): Promise<string> {
  try {
    const { dev, ino } = await handle.stat()
    return `${dev}/${ino}`
  } catch (cause) {
    await handle.close()
    throw cause
  }
}
