import { Readable } from 'node:stream'
import { ControlUnreachableError } from './control-error.ts'

const BEGIN = /^\s*\{\s*"paysim"\s*:\s*\d/
/** An archive has told by then that it is one. */
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
  let begin: Buffer | undefined = Buffer.alloc(0)
  for await (const chunk of body as AsyncIterable<Buffer>) {
    let next = chunk
    if (begin) {
      begin = Buffer.concat([begin, chunk])
      if (begin.length < ENOUGH_BYTES) continue
      next = begin
      begin = undefined
      demandBegin(next)
    }
    if (!brackets.read(next)) throw wrong('there is more after its end')
    yield next
  }
  if (begin) {
    demandBegin(begin)
    if (!brackets.read(begin)) throw wrong('there is more after its end')
  }
  if (!brackets.areClosed) throw wrong('it has no end')
  if (begin) yield begin

  function demandBegin(bytes: Buffer): void {
    if (!BEGIN.test(bytes.toString('latin1'))) throw wrong('it does not begin with {"paysim":1')
  }
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

  get areClosed(): boolean {
    return this.#isBegun && this.#open === 0
  }
}
