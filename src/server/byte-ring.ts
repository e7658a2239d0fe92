const MOST_BYTES = 16 * 1024 * 1024
const FIRST_BYTES = 256 * 1024

/** Where a text is: its first byte, counted from the first byte ever stored, and its length. */
export interface Piece {
  readonly start: number
  readonly length: number
}

/**
 * The latest texts, as bytes outside the heap: a new text overwrites the oldest ones. Kept as strings, they would survive
 * several garbage collections, each of which copies them: that took more than a third of the time of a page of
 * payouts.
 */
export class ByteRing {
  static readonly most = MOST_BYTES
  #ring: Buffer | undefined
  /** Counted like the start of a piece. */
  #end = 0

  /** How much memory it has. */
  get bytes(): number {
    return this.#ring?.length ?? 0
  }

  /** A text of at most `MOST_BYTES`. */
  add(text: string): Piece {
    const length = Buffer.byteLength(text)
    const ring = this.#roomFor(length)
    const rest = ring.length - (this.#end % ring.length)
    const start = length <= rest ? this.#end : this.#end + rest
    ring.write(text, start % ring.length, length)
    this.#end = start + length
    return { start, length }
  }

  /** Doubles until it has its full size, before which nothing is overwritten. */
  #roomFor(length: number): Buffer {
    let ring = this.#ring ?? Buffer.alloc(FIRST_BYTES)
    while (ring.length < MOST_BYTES && this.#end + length > ring.length) {
      const larger = Buffer.alloc(2 * ring.length)
      ring.copy(larger)
      ring = larger
    }
    this.#ring = ring
    return ring
  }

  /** Whether nothing has overwritten it. */
  holds({ start }: Piece): boolean {
    return start >= this.#end - this.bytes
  }

  read({ start, length }: Piece): string {
    const ring = this.#ring ?? Buffer.alloc(0)
    const from = start % ring.length
    return ring.toString('utf8', from, from + length)
  }
}
