import type { RecordBytes } from './record-bytes.ts'

/** A few dozen records. */
const CHUNK = 16 * 1024

/**
 * Reads pieces of a file that never changes. Timers and their payments are asked for in the order of the file: then it
 * reads ahead, since a call of the system takes longer than to parse the record.
 */
export class ReadAhead {
  #chunk: Buffer = Buffer.alloc(0)
  #start = 0
  /** Where the last piece ended. */
  #last = Number.NaN

  constructor(private readonly file: Pick<RecordBytes, 'readNow'>) {}

  /** Shorter than asked for if the file ends before. */
  piece(offset: number, length: number): Buffer {
    const follows = offset >= this.#last && offset - this.#last < CHUNK
    this.#last = offset + length
    if (offset < this.#start || offset + length > this.#start + this.#chunk.length) {
      this.#chunk = this.file.readNow(offset, follows ? Math.max(CHUNK, length) : length)
      this.#start = offset
    }
    return this.#chunk.subarray(offset - this.#start, offset - this.#start + length)
  }
}
