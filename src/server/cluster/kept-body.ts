import type { Carrier } from '../http/carrier.ts'

/** A body up to this size is read before it is sent, in one piece. */
const SMALL = 64 * 1024
/** The largest upload, with some room for its form. A body is kept up to this size, so that it can be sent again. */
const MOST_KEPT = 6 * 1024 * 1024

/** The body of a call that is handed on, perhaps several times. */
export class KeptBody {
  readonly #chunks: Buffer[] = []
  #size = 0
  #reading: AsyncIterator<Buffer> | undefined
  #filling: Promise<void> | undefined
  #isWhole = false
  #isSentWhole = false

  constructor(private readonly carrier: Carrier) {
    if (!carrier.pieces) return
    const read = carrier.pieces.whole()
    this.#chunks.push(read)
    this.#size = read.length
    this.#isWhole = true
  }

  /** Whether the last receiver got all of it. Before that, no process can have carried out the call. */
  get isSentWhole(): boolean {
    return this.#isSentWhole
  }

  /** Whether it can still be sent from its start. */
  get isKept(): boolean {
    return this.#size <= MOST_KEPT
  }

  /** A stream of it for one attempt; null if there is no body. */
  async open(): Promise<Buffer | AsyncIterable<Buffer> | null> {
    this.#isSentWhole = false
    const { headers } = this.carrier
    const length = Number(headers['content-length'] ?? 0)
    if (length === 0 && headers['transfer-encoding'] === undefined) {
      this.#isSentWhole = true
      return null
    }
    if (headers['transfer-encoding'] !== undefined || length > SMALL) return this.#stream()
    for await (const _ of this.#stream());
    return Buffer.concat(this.#chunks)
  }

  async *#stream(): AsyncGenerator<Buffer> {
    for (let at = 0; ; at++) {
      while (at === this.#chunks.length && !this.#isWhole) {
        // An earlier attempt may still wait for the same piece.
        this.#filling ??= this.#fill()
        await this.#filling
      }
      const chunk = this.#chunks[at]
      if (!chunk) break
      if (!this.isKept) this.#chunks[at] = NOTHING
      yield chunk
    }
    this.#isSentWhole = true
  }

  /** Reads and discards the rest, so that its sender can finish and use the connection again. */
  async discard(): Promise<void> {
    if (this.carrier.pieces) return
    await this.#reading?.return?.()
    this.carrier.incoming.resume()
  }

  async #fill(): Promise<void> {
    try {
      this.#reading ??= this.carrier.incoming.iterator({ destroyOnReturn: false })[Symbol.asyncIterator]()
      const next: IteratorResult<Buffer> = await this.#reading.next()
      if (next.done) this.#isWhole = true
      else {
        this.#size += next.value.length
        this.#chunks.push(next.value)
      }
    } finally {
      this.#filling = undefined
    }
  }
}

const NOTHING = Buffer.alloc(0)
