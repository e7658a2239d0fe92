import { readSync } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { promisify } from 'node:util'
import { deflate, inflate, inflateSync } from 'node:zlib'
import { type RecordBytes, RecordFile } from '../checkpoint/record-bytes.ts'
import { DamagedError, messageOf } from '../damaged-error.ts'
import { openPrivate, removeFile, writeAll } from '../private-files.ts'

const [deflated, inflated] = [promisify(deflate), promisify(inflate)]

/** How many bytes of a file are packed together. */
export const CHUNK = 1024 * 1024
/**
 * JSON compresses well even at the lowest level, which is the fastest by far. A chunk is unpacked in one piece: in
 * pieces of the usual size, a take-over spends a fifth of its time in calls between threads.
 */
const PACKING = { level: 1, chunkSize: CHUNK + 1024 }
/** How many chunks stay in memory after they were read. */
const RECENT = 8

export const pack = (bytes: Buffer): Promise<Buffer> => deflated(bytes, PACKING)
export const unpack = (bytes: Buffer): Promise<Buffer> => inflated(bytes, PACKING)

/**
 * The records of a layer in packed chunks, as they arrived. An account opens before its records are unpacked, because
 * unpacking many of them takes longer than the rest. Until then, a chunk is unpacked when one of its records is read.
 */
export class PackedFile {
  /** Where each chunk starts in the packed file, and where the last one ends. */
  readonly #starts: number[] = [0]
  readonly #recent = new Map<number, Buffer>()
  readonly #plain: RecordBytes
  #size = 0
  /** How many bytes of the file have been written. */
  #unpacked = 0
  #unpacking: Promise<void> | undefined
  #closed = false

  private constructor(
    private readonly path: string,
    private readonly packed: FileHandle,
    /** Opened once, so that a file that was removed meanwhile is not created again. */
    private readonly file: FileHandle,
  ) {
    this.#plain = new RecordFile(file, 0)
  }

  /** The packed form of a file that will have this name. */
  static async take(path: string, chunks: AsyncIterable<Buffer>): Promise<PackedFile> {
    const file = await openPrivate(path, 'fresh')
    const packed = await openPrivate(packedName(path), 'fresh').catch(async cause => {
      await file.close()
      throw cause
    })
    const taken = new PackedFile(path, packed, file)
    try {
      await taken.#take(chunks)
      return taken
    } catch (cause) {
      await taken.close()
      throw cause
    }
  }

  async #take(chunks: AsyncIterable<Buffer>): Promise<void> {
    let last: Buffer | undefined
    for await (const chunk of chunks) {
      await writeAll(this.packed, chunk)
      this.#starts.push(this.#startOf(this.#chunks) + chunk.length)
      last = chunk
    }
    // Only the last chunk may be shorter.
    if (last) this.#size = (this.#chunks - 1) * CHUNK + (await unpack(last)).length
  }

  get #chunks(): number {
    return this.#starts.length - 1
  }

  #startOf(nth: number): number {
    return this.#starts[nth] ?? 0
  }

  /** For use by a layer, which may close it and open it again. */
  records(): RecordBytes {
    return {
      size: this.#size,
      readNow: (offset, length) => this.#readNow(offset, length),
      read: (offset, length) => this.#read(offset, length),
      // Its owner closes it.
      close: async () => {},
    }
  }

  #readNow(offset: number, length: number): Buffer {
    const end = Math.min(offset + length, this.#size)
    if (end <= this.#unpacked) return this.#plain.readNow(offset, length)
    const parts: Buffer[] = []
    for (let nth = Math.floor(offset / CHUNK); nth * CHUNK < end; nth++)
      parts.push(this.#chunkNow(nth).subarray(Math.max(0, offset - nth * CHUNK), end - nth * CHUNK))
    const [only = Buffer.alloc(0)] = parts
    return parts.length > 1 ? Buffer.concat(parts) : only
  }

  async #read(offset: number, length: number): Promise<Buffer> {
    const end = Math.min(offset + length, this.#size)
    if (end <= this.#unpacked) return this.#plain.read(offset, length)
    for (let nth = Math.floor(offset / CHUNK); nth * CHUNK < end && this.#unpacked < end; nth++)
      if (!this.#recent.has(nth)) this.#remember(nth, await this.#chunk(nth))
    return this.#readNow(offset, length)
  }

  #chunkNow(nth: number): Buffer {
    const recent = this.#recent.get(nth)
    if (recent) return recent
    const bytes = Buffer.allocUnsafe(this.#startOf(nth + 1) - this.#startOf(nth))
    const read = readSync(this.packed.fd, bytes, 0, bytes.length, this.#startOf(nth))
    let chunk: Buffer
    try {
      chunk = inflateSync(bytes.subarray(0, read), PACKING)
    } catch (cause) {
      throw this.#damaged(nth, cause)
    }
    this.#demandWhole(nth, chunk)
    this.#remember(nth, chunk)
    return chunk
  }

  async #chunk(nth: number): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(this.#startOf(nth + 1) - this.#startOf(nth))
    const { bytesRead } = await this.packed.read(bytes, 0, bytes.length, this.#startOf(nth))
    const chunk = await unpack(bytes.subarray(0, bytesRead)).catch(cause => {
      throw this.#damaged(nth, cause)
    })
    this.#demandWhole(nth, chunk)
    return chunk
  }

  #demandWhole(nth: number, { length }: Buffer): void {
    const right = Math.min(CHUNK, this.#size - nth * CHUNK)
    if (length !== right) throw this.#damaged(nth, new Error(`it has ${length} bytes instead of ${right}`))
  }

  #damaged(nth: number, cause: unknown): DamagedError {
    return new DamagedError(`${this.path}, from byte ${nth * CHUNK}, a part`, messageOf(cause))
  }

  #remember(nth: number, chunk: Buffer): void {
    this.#recent.set(nth, chunk)
    const [oldest = nth] = this.#recent.keys()
    if (this.#recent.size > RECENT) this.#recent.delete(oldest)
  }

  /** Unpacks until the file is complete or no longer needed. */
  unpackAll(): Promise<void> {
    this.#unpacking ??= this.#unpackAll().finally(() => {
      this.#unpacking = undefined
    })
    return this.#unpacking
  }

  async #unpackAll(): Promise<void> {
    while (this.#unpacked < this.#size) {
      const chunk = await this.#chunk(this.#unpacked / CHUNK)
      if (this.#closed) return
      await writeAll(this.file, chunk, this.#unpacked)
      this.#unpacked += chunk.length
    }
    this.#recent.clear()
    await this.#discardPacked()
  }

  async #discardPacked(): Promise<void> {
    await this.packed.close()
    await removeFile(packedName(this.path))
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#unpacking?.catch(() => {})
    await this.#discardPacked()
    await this.file.close()
  }
}

const packedName = (path: string) => `${path}.packed`
