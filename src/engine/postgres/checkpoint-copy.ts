import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { deflate, inflate } from 'node:zlib'
import { openPrivate, writeAll } from '../private-files.ts'
import type { Ask } from './database.ts'

const [pack, unpack] = [promisify(deflate), promisify(inflate)]

const CHUNK = 1024 * 1024
/**
 * Records are JSON, of which little is left; the lowest level is the fastest by far. A chunk comes out in one piece:
 * in pieces of the usual size, a take-over spends a fifth of its time in calls between threads.
 */
const PACKING = { level: 1, chunkSize: CHUNK + 1024 }
/** How many chunks are on their way at once. */
const AT_ONCE = 4

/** The files of a checkpoint, by their names in its folder. */
type Files = Readonly<Record<string, string>>

/** Never changes once it is written. */
const LAYER = /^layer-\d+\.(jsonl|index)$/
const MANIFEST = 'checkpoint.json'

/**
 * An account's last checkpoint in the database. Its holder works on files of its own, because a record is read at once
 * when somebody asks for it; whoever takes the account over gets a copy of them.
 */
export class CheckpointCopy {
  #kept: Files
  #folder: string | undefined

  constructor(
    private readonly ask: Ask,
    private readonly which: { readonly account: string; readonly writer: number },
    kept: string | null,
  ) {
    this.#kept = kept === null ? {} : JSON.parse(kept)
  }

  /** Writes the files into an empty folder. */
  async fetch(folder: string): Promise<void> {
    this.#folder = folder
    for (const [name, file] of Object.entries(this.#kept)) {
      const handle = await openPrivate(join(folder, name), 'fresh')
      try {
        const { rows } = await this.ask<{ chunks: number }>('SELECT chunks FROM files WHERE id = $1', [file])
        const chunks = rows[0]?.chunks ?? 0
        for await (const part of this.#parts(file, chunks)) await writeAll(handle, part)
      } finally {
        await handle.close()
      }
    }
  }

  /** While one is written, the next ones are on their way. */
  async *#parts(file: string, chunks: number): AsyncGenerator<Buffer> {
    const coming: Promise<Buffer>[] = []
    for (let next = 0, nth = 0; nth < chunks; nth++) {
      for (; next < chunks && coming.length < AT_ONCE; next++) {
        const chunk = this.#chunk(file, next)
        // Of several that fail, the first ends it.
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
    return unpack(rows[0].bytes, { chunkSize: PACKING.chunkSize })
  }

  /** Copies what is new in the folder. Then this is the account's checkpoint, if this process still holds it. */
  async keep(folder: string): Promise<void> {
    const { account, writer } = this.which
    // In another folder is another history, whose files have the same names.
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
        const bytes = await pack(buffer.subarray(0, bytesRead), PACKING)
        await this.ask('INSERT INTO chunks (file, nth, bytes) VALUES ($1, $2, $3)', [id, nth, bytes])
      }
      return id
    } finally {
      await handle.close()
    }
  }
}
