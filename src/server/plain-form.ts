import { createHash } from 'node:crypto'
import { Pieces } from './pieces.ts'

/** A file that arrived in a form. */
export interface ReceivedFile {
  readonly pieces: Pieces
  readonly digest: string
}

/** Only letters, digits and dashes, as nearly all clients write it, so nothing in it has a meaning of its own. */
const MULTIPART = /^multipart\/form-data; ?boundary=(?:([\w-]{1,70})|"([\w-]{1,70})")$/i
/** All that comes before the bytes of the file. */
const HEAD =
  /^--([\w-]+)\r\n[Cc]ontent-[Dd]isposition: form-data; name="file"; filename="[^"\\\r\n]+"\r\n(?:[Cc]ontent-[Tt]ype: [\w.+/-]+\r\n)?\r\n/
const MOST_HEAD = 1024
const MOST_SHORT_PIECES = 16
/** What follows the last boundary. */
const ENDS = ['--\r\n', '--']

const NOTHING = Buffer.alloc(0)

/**
 * Reads a form that is plain: it has one part, which is the file named `file`. The file is hashed while it arrives. It
 * accepts only what leaves no doubt; every other form must be read by a parser that knows all the rules.
 */
export class PlainForm {
  readonly #boundary: string | undefined
  readonly #delimiter: Buffer
  readonly #pieces = new Pieces()
  readonly #hash = createHash('sha256')
  /** The piece that arrived last, because the delimiter may begin at its end. */
  #held: Buffer = NOTHING
  #shortPieces = 0
  /** What came after the file, once its end was seen. */
  #end: string | undefined
  #isPlain: boolean
  #isStarted = false

  constructor(
    contentType: string | undefined,
    private readonly mostBytes: number,
  ) {
    const [, bare, quoted] = MULTIPART.exec(contentType ?? '') ?? []
    this.#boundary = bare ?? quoted
    this.#isPlain = this.#boundary !== undefined
    this.#delimiter = Buffer.from(`\r\n--${this.#boundary}`)
  }

  readonly take = (piece: Buffer): void => {
    if (!this.#isPlain) return
    if (this.#end !== undefined) this.#takeEnd(piece)
    else if (this.#isStarted) this.#takeFile(piece)
    else this.#takeHead(piece)
    if (this.#pieces.size > this.mostBytes) this.#isPlain = false
  }

  /** The file, if the form was plain. */
  end(): ReceivedFile | undefined {
    if (!this.#isPlain || this.#end === undefined || !ENDS.includes(this.#end)) return undefined
    // The line break before this one may belong to the head or to the boundary.
    const boundary = this.#delimiter.subarray(2)
    if (this.#pieces.start(boundary.length).equals(boundary)) return undefined
    return { pieces: this.#pieces, digest: this.#hash.digest('hex') }
  }

  #takeHead(piece: Buffer): void {
    const [head, boundary] = HEAD.exec(piece.toString('latin1', 0, MOST_HEAD)) ?? []
    if (head === undefined || boundary !== this.#boundary) {
      this.#isPlain = false
      return
    }
    this.#isStarted = true
    this.#takeFile(piece.subarray(head.length))
  }

  #takeFile(arrived: Buffer): void {
    const { length } = this.#delimiter
    let piece = arrived
    if (piece.length < length) {
      // The delimiter could be in more than two pieces.
      if (++this.#shortPieces > MOST_SHORT_PIECES) this.#isPlain = false
      piece = Buffer.concat([this.#held, piece])
      this.#held = NOTHING
    }
    const held = this.#held
    const seamAt = Math.max(0, held.length - length + 1)
    const seam = Buffer.concat([held.subarray(seamAt), piece.subarray(0, length - 1)])
    const inSeam = held.length === 0 ? -1 : seam.indexOf(this.#delimiter)
    if (inSeam !== -1) {
      this.#add(held.subarray(0, seamAt + inSeam))
      return this.#takeEnd(Buffer.concat([held, piece]).subarray(seamAt + inSeam + length))
    }
    this.#add(held)
    const at = piece.indexOf(this.#delimiter)
    if (at === -1) {
      this.#held = piece
      return
    }
    this.#add(piece.subarray(0, at))
    this.#takeEnd(piece.subarray(at + length))
  }

  #add(bytes: Buffer): void {
    if (bytes.length === 0) return
    this.#pieces.add(bytes)
    this.#hash.update(bytes)
  }

  #takeEnd(bytes: Buffer): void {
    this.#end = (this.#end ?? '') + bytes.toString('latin1')
    if (this.#end.length > MOST_HEAD) this.#isPlain = false
  }
}
