import { Readable } from 'node:stream'
import { ControlUnreachableError } from './control-error.ts'

const BEGIN = /^\s*\{\s*"paysim"\s*:\s*\d/
/** This many bytes are enough to recognize an archive. */
const ENOUGH_BYTES = 64

const QUOTE = 0x22
const BACKSLASH = 0x5c
/** In JSON, all characters up to this one are white space. */
const SPACE = 0x20

/** The bytes of an archive as they arrive. It may not fit into memory, so only its start and brackets are checked. */
export const archiveBody = (body: Readable, call: string): Readable =>
  Readable.from(checked(body, call), { objectMode: false })

async function* checked(body: Readable, call: string): AsyncGenerator<Buffer> {
  const wrong = (what: string) =>
    new ControlUnreachableError(`${call} was not answered with an archive: ${what}; is it a control surface?`)
  const brackets = new Brackets()
  for await (const bytes of withBeginning(body)) {
    if (brackets.areUnread && !BEGIN.test(bytes.toString('latin1')))
      throw wrong('it does not begin with {"paysim":1')
    if (!brackets.read(bytes)) throw wrong('there is more after its end')
    yield bytes
  }
  if (!brackets.areClosed) throw wrong('it has no end')
}

/** The same bytes, but the first piece is long enough to recognize an archive, unless the body is shorter. */
async function* withBeginning(body: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let begin: Buffer | undefined = Buffer.alloc(0)
  for await (const chunk of body) {
    if (begin === undefined) yield chunk
    else {
      begin = Buffer.concat([begin, chunk])
      if (begin.length < ENOUGH_BYTES) continue
      yield begin
      begin = undefined
    }
  }
  if (begin !== undefined) yield begin
}

/** Counts the brackets of a JSON text that are open. */
class Brackets {
  #open = 0
  #isBegun = false
  #isInText = false
  #isEscape = false

  /** False if there is more after the last bracket. It must be fast, because an archive may have gigabytes. */
  read(bytes: Buffer): boolean {
    let open = this.#open
    let isInText = this.#isInText
    let isEscape = this.#isEscape
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at] as number
      if (isInText) {
        if (isEscape) isEscape = false
        else if (byte === QUOTE) isInText = false
        else isEscape = byte === BACKSLASH
        continue
      }
      if (byte <= SPACE) continue
      if (open === 0 && this.#isBegun) return false
      this.#isBegun = true
      if (byte === QUOTE) isInText = true
      else if (byte === 0x7b || byte === 0x5b) open++
      else if (byte === 0x7d || byte === 0x5d) open--
    }
    this.#open = open
    this.#isInText = isInText
    this.#isEscape = isEscape
    return true
  }

  /** Whether nothing but white space was read so far. */
  get areUnread(): boolean {
    return !this.#isBegun
  }

  get areClosed(): boolean {
    return this.#isBegun && this.#open === 0
  }
}
