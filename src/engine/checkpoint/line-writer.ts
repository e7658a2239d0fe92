import type { FileHandle } from 'node:fs/promises'
import { writeAll } from '../private-files.ts'

/** Enough for about a thousand records, so that few writes are needed. */
const ROOM = 256 * 1024
/** A character takes at most this many bytes in UTF-8. */
const BYTES_A_CHARACTER = 3

/** Writes lines in large pieces. They are put together in one buffer, which is used again and again. */
export class LineWriter {
  /** How many were added. */
  bytes = 0
  readonly #room = Buffer.allocUnsafeSlow(ROOM)
  #used = 0

  constructor(private readonly handle: FileHandle) {}

  /** Returns the length of the line in bytes, or a promise if it had to wait for the disk. */
  add(line: string | Buffer): number | Promise<number> {
    const most = typeof line === 'string' ? line.length * BYTES_A_CHARACTER : line.length
    return this.#used + most > ROOM ? this.#addToEmpty(line, most) : this.#put(line)
  }

  #put(line: string | Buffer): number {
    const length =
      typeof line === 'string' ? this.#room.write(line, this.#used) : line.copy(this.#room, this.#used)
    this.#used += length
    this.bytes += length
    return length
  }

  async #addToEmpty(line: string | Buffer, most: number): Promise<number> {
    await this.flush()
    if (most <= ROOM) return this.#put(line)
    const bytes = Buffer.from(line)
    await writeAll(this.handle, bytes)
    this.bytes += bytes.length
    return bytes.length
  }

  async flush(): Promise<void> {
    const used = this.#used
    this.#used = 0
    await writeAll(this.handle, this.#room.subarray(0, used))
  }
}
