import { Readable } from 'node:stream'
import { ControlUnreachableError } from './control-error.ts'

const BEGIN = /^\s*\{\s*"paysim"\s*:\s*\d/
/** An archive can be recognized by as many bytes. */
const ENOUGH_BYTES = 64

const QUOTE = 0x22
const BACKSLASH = 0x5c
/** JSON has no other character below. */
const SPACE = 0x20

/** An archive as it comes: it may be too large for memory, so only its beginning and its brackets are looked at. */
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

/** The same bytes, of which the first ones are enough to look at, unless there are no more. */
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

  /** False if there is more behind the last bracket. It looks at every byte of what may be gigabytes. */
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

  /** Whether no text was read yet, other than space. */
  get areUnread(): boolean {
    return !this.#isBegun
  }

  get areClosed(): boolean {
    return this.#isBegun && this.#open === 0
  }
}
