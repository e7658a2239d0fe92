import { readSync } from 'node:fs'
import { type FileHandle, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { deflate, inflate, inflateSync } from 'node:zlib'
import { type OpenRecordBytes, openRecordFile, type RecordBytes, RecordFile } from '../checkpoint/layer.ts'
import { openPrivate, removeFile, useFile, writeAll } from '../store/private-files.ts'
import { DamagedError, messageOf } from '../store/store-errors.ts'
import type { Ask } from './database.ts'

/** How many chunks are sent or fetched at a time. */
const AT_ONCE = 4
/** Records in fewer chunks than this are unpacked immediately. */
const MANY = 8

/** The files of a checkpoint, by their names in its folder. */
type Files = Readonly<Record<string, string>>

/** A file of a layer, which never changes once it is written. */
const LAYER = /^layer-\d+\.(jsonl|index)$/
const RECORDS = /^layer-\d+\.jsonl$/
const MANIFEST = 'checkpoint.json'

/**
 * An account's last checkpoint in the database. Its holder works on its own files, because records are read
 * synchronously. A process that takes the account over gets a copy of these files.
 */
export class CheckpointCopy {
  #kept: Files
  #folder: string | undefined
  /** Records that are or were packed, by the paths of their files. */
  readonly #packed = new Map<string, PackedFile>()

  constructor(
    private readonly ask: Ask,
    private readonly which: { readonly account: string; readonly writer: number },
    kept: string | null,
  ) {
    this.#kept = kept === null ? {} : JSON.parse(kept)
  }

  /** Writes the files into an empty folder. Many records stay packed; everything else is unpacked. */
  async fetch(folder: string): Promise<void> {
    this.#folder = folder
    for (const [name, file] of Object.entries(this.#kept)) {
      const path = join(folder, name)
      const { rows } = await this.ask<{ chunks: number }>('SELECT chunks FROM files WHERE id = $1', [file])
      const chunks = rows[0]?.chunks ?? 0
      if (RECORDS.test(name) && chunks >= MANY)
        this.#packed.set(path, await PackedFile.take(path, this.#inOrder(file, chunks)))
      else await writeUnpacked(path, this.#inOrder(file, chunks, unpack))
    }
  }

  /** Opens the records of a layer, whether they arrived packed or were written here. */
  readonly openRecords: OpenRecordBytes = async path =>
    this.#packed.get(path)?.records() ?? openRecordFile(path)

  /** Unpacks the packed files one after another, while calls are answered. */
  async unpack(): Promise<void> {
    for (const packed of this.#packed.values()) await packed.unpackAll()
  }

  async close(): Promise<void> {
    const packed = [...this.#packed.values()]
    this.#packed.clear()
    for (const file of packed) await file.close()
  }

  /** Fetches the next chunks while one is written. */
  async *#inOrder(
    file: string,
    chunks: number,
    made?: (bytes: Buffer) => Promise<Buffer>,
  ): AsyncGenerator<Buffer> {
    const coming: Promise<Buffer>[] = []
    for (let next = 0, nth = 0; nth < chunks; nth++) {
      for (; next < chunks && coming.length < AT_ONCE; next++) {
        const chunk = made ? this.#chunk(file, next).then(made) : this.#chunk(file, next)
        // The first failure ends the loop, so nobody awaits the chunks after it.
        chunk.catch(() => {})
        coming.push(chunk)
      }
      const part = await coming.shift()
      if (part) yield part
    }
  }

  async #chunk(file: string, nth: number): Promise<Buffer> {
    const { rows } = await this.ask<{ bytes: Buffer }>(
      'SELECT bytes FROM chunks WHERE file = $1 AND nth = $2',
      [file, nth],
    )
    if (!rows[0]) throw new Error(`part ${nth} of a checkpoint's file is missing`)
    return rows[0].bytes
  }

  /** Copies the new files of the folder. They become the account's checkpoint if this process still holds it. */
  async keep(folder: string): Promise<void> {
    const { account, writer } = this.which
    // Another folder has another history, whose files have the same names.
    if (folder !== this.#folder) this.#kept = {}
    this.#folder = folder
    const names = (await readdir(folder)).filter(name => name === MANIFEST || LAYER.test(name))
    const files: Record<string, string> = {}
    for (const name of names) {
      const before = LAYER.test(name) ? this.#kept[name] : undefined
      files[name] = before ?? (await this.#copy(join(folder, name)))
    }
    const { count } = await this.ask('UPDATE accounts SET checkpoint = $3 WHERE id = $1 AND writer = $2', [
      account,
      writer,
      JSON.stringify(files),
    ])
    if (count === 0) return
    this.#kept = files
    await this.ask('DELETE FROM files WHERE account = $1 AND id <> ALL ($2::bigint[])', [
      account,
      Object.values(files),
    ])
    await this.#forget(folder, names)
  }

  /** The packed records are now in other files, or belong to another history. */
  async #forget(folder: string, names: readonly string[]): Promise<void> {
    const paths = new Set(names.map(name => join(folder, name)))
    for (const [path, packed] of this.#packed)
      if (!paths.has(path)) {
        this.#packed.delete(path)
        await packed.close()
      }
  }

  #copy(path: string): Promise<string> {
    return useFile(path, 'read', async handle => {
      const chunks = Math.ceil((await handle.stat()).size / CHUNK)
      const { rows } = await this.ask<{ id: string }>(
        'INSERT INTO files (account, chunks) VALUES ($1, $2) RETURNING id',
        [this.which.account, chunks],
      )
      const id = rows[0]?.id ?? ''
      for (let nth = 0; nth < chunks; nth++) {
        const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafe(CHUNK), 0, CHUNK, nth * CHUNK)
        const bytes = await pack(buffer.subarray(0, bytesRead))
        await this.ask('INSERT INTO chunks (file, nth, bytes) VALUES ($1, $2, $3)', [id, nth, bytes])
      }
      return id
    })
  }
}

async function writeUnpacked(path: string, parts: AsyncIterable<Buffer>): Promise<void> {
  await useFile(path, 'fresh', async handle => {
    for await (const part of parts) await writeAll(handle, part)
  })
}

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
const unpack = (bytes: Buffer): Promise<Buffer> => inflated(bytes, PACKING)

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
    const parts: Buffer[] = []
    for (let nth = Math.floor(offset / CHUNK); nth * CHUNK < end; nth++) {
      // The packed file may have been unpacked meanwhile, and be gone.
      if (end <= this.#unpacked) return this.#plain.read(offset, length)
      parts.push((await this.#chunkSoon(nth)).subarray(Math.max(0, offset - nth * CHUNK), end - nth * CHUNK))
    }
    return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)
  }

  async #chunkSoon(nth: number): Promise<Buffer> {
    const recent = this.#recent.get(nth)
    if (recent) return recent
    const chunk = await this.#chunk(nth)
    this.#remember(nth, chunk)
    return chunk
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
