/** A piece costs about as much memory as this many bytes of it. */
const SMALL = 256
const SMALL_TOGETHER = 1024

/** Bytes in the pieces in which they arrived. Many small ones are joined, because each piece costs memory of its own. */
export class Pieces {
  readonly all: Buffer[] = []
  size = 0
  #small = 0

  add(piece: Buffer): void {
    this.all.push(piece)
    this.size += piece.length
    this.#small = piece.length < SMALL ? this.#small + 1 : 0
    if (this.#small < SMALL_TOGETHER) return
    this.all.push(Buffer.concat(this.all.splice(-this.#small)))
    this.#small = 0
  }

  /** The first bytes, and at most this many. */
  start(length: number): Buffer {
    const [first = Buffer.alloc(0)] = this.all
    return (first.length < length ? this.whole() : first).subarray(0, length)
  }

  whole(): Buffer {
    const [first, second] = this.all
    if (first && !second) return first
    const joined = Buffer.concat(this.all)
    this.all.splice(0, this.all.length, joined)
    return joined
  }

  clear(): void {
    this.all.length = 0
    this.size = 0
    this.#small = 0
  }
}
