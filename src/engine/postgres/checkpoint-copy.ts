import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type OpenRecordBytes, openRecordFile } from '../checkpoint/record-bytes.ts'
import { openPrivate, writeAll } from '../private-files.ts'
import type { Ask } from './database.ts'
import { CHUNK, PackedFile, pack, unpack } from './packed-file.ts'

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

  async #copy(path: string): Promise<string> {
    const handle = await openPrivate(path, 'read')
    try {
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
    } finally {
      await handle.close()
    }
  }
}

async function writeUnpacked(path: string, parts: AsyncIterable<Buffer>): Promise<void> {
  const handle = await openPrivate(path, 'fresh')
  try {
    for await (const part of parts) await writeAll(handle, part)
  } finally {
    await handle.close()
  }
}
