import type { FileHandle } from 'node:fs/promises'
import { RECORD_MEMBERS } from '../../domain/events.ts'
import { hashOf } from '../checkpoint/layer-index.ts'
import { isHeader, type Line, readLines } from './journal-format.ts'

/** A few hundred entries. */
const BLOCK_BYTES = 128 * 1024
/** About twenty for each id in a block, so that one in some hundred blocks is read in vain. */
const BITS = 2 ** 13
const BITS_AN_ID = 4

/** The ids of records in a line, and some other texts: it need not be parsed to find them. */
const NAMED = new RegExp(`"(?:${RECORD_MEMBERS.join('|')})":"((?:[^"\\\\]|\\\\.)*)"`, 'g')

/** An id as it is in a line. */
const written = (id: string) => JSON.stringify(id).slice(1, -1)

/** Lines that follow each other, with a Bloom filter of the ids in them. */
interface Block {
  readonly start: number
  end: number
  readonly bits: Uint32Array
}

/**
 * Says which parts of a journal's file may name a record. It is made when somebody asks first, and takes in what was added
 * when somebody asks again, so that nothing is spent on it while entries are written. It takes one byte for each 128 bytes of
 * the file.
 */
export class HistoryIndex {
  readonly #blocks: Block[] = []
  #lines = 0
  #entries = 0
  #end = 0
  #extending: Promise<void> = Promise.resolve()

  /** Takes in the lines up to here, after a check of each. Returns how many entries it has then. */
  async extend(handle: FileHandle, end: number, check: (line: Line) => void): Promise<number> {
    const extending = this.#extending.then(() => this.#extend(handle, end, check))
    this.#extending = extending.catch(() => {})
    await extending
    return this.#entries
  }

  async #extend(handle: FileHandle, end: number, check: (line: Line) => void): Promise<void> {
    for await (const line of readLines(handle, end, this.#end)) {
      const numbered = { ...line, number: this.#lines + 1 }
      if (!isHeader(numbered)) {
        check(numbered)
        this.#note(numbered)
        this.#entries += 1
      }
      this.#lines += 1
      this.#end = line.offset + line.length + 1
    }
  }

  #note({ text, offset, length }: Line): void {
    let block = this.#blocks.at(-1)
    if (!block || block.end - block.start >= BLOCK_BYTES) {
      block = { start: offset, end: offset, bits: new Uint32Array(BITS / 32) }
      this.#blocks.push(block)
    }
    block.end = offset + length + 1
    for (const [, id = ''] of text.matchAll(NAMED))
      for (const bit of bitsOf(id)) block.bits[bit >> 5] = (block.bits[bit >> 5] ?? 0) | (1 << (bit & 31))
  }

  /** The lines with this id, and perhaps some more. */
  async *naming(handle: FileHandle, id: string): AsyncGenerator<Line> {
    const text = written(id)
    const bits = bitsOf(text)
    for (const { start, end, bits: own } of [...this.#blocks]) {
      if (!bits.every(bit => ((own[bit >> 5] ?? 0) & (1 << (bit & 31))) !== 0)) continue
      for await (const line of readLines(handle, end, start)) if (line.text.includes(text)) yield line
    }
  }
}

function bitsOf(id: string): number[] {
  const hash = hashOf(id, 0)
  return Array.from({ length: BITS_AN_ID }, (_, nth) => Math.floor(hash / BITS ** nth) % BITS)
}
