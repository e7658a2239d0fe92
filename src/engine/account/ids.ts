import { createHmac, hash, randomBytes } from 'node:crypto'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
/** By the value of a byte, the code of the letter that stands for it. */
const LETTER_CODES = Uint8Array.from({ length: 256 }, (_, byte) => BASE62.charCodeAt(byte % BASE62.length))
const ID_LENGTH = 24
/** The codes of the id that is being made: a new list for each would take a fifth of its time. */
const LETTERS: number[] = new Array(ID_LENGTH).fill(0)
const MOST_SIGNATURES = 256

/**
 * Ids derived from a seed and a position in the journal: the same seed and calls give the same ids, even after a
 * restart, and nobody can guess one without the seed.
 */
export class IdSource {
  /** By text: who asks for the next page sends back what was signed with the last one, and many ask for the first. */
  #signatures: Map<string, string> | undefined

  constructor(readonly seed: string) {}

  /** The ids, secrets and random numbers of one command, each different. Secrets may have a source of their own. */
  ofMove(move: number, secrets: () => IdSource = () => this) {
    let nth = 0
    return {
      newId: (prefix: string) => this.newId(prefix, move, nth++),
      newSecret: () => secrets().newSecret(move, nth++),
      chance: () => this.chance(`${move}:${nth++}`),
    }
  }

  newId(prefix: string, move: number, nth: number): string {
    // As a text with a character for each byte: a buffer takes longer to make than the digest.
    const digest = hash('sha256', `${this.seed}:${prefix}:${move}:${nth}`, 'binary')
    for (let at = 0; at < ID_LENGTH; at++) LETTERS[at] = LETTER_CODES[digest.charCodeAt(at)] ?? 0
    return `${prefix}_${String.fromCharCode(...LETTERS)}`
  }

  newSecret(move: number, nth: number): string {
    return `whsec_${this.#digest(`secret:${move}:${nth}`).subarray(0, 24).toString('base64')}`
  }

  /** A number in [0, 1) that is derived from the seed. */
  chance(what: string): number {
    return this.#digest(`chance:${what}`).readUInt32LE(0) / 2 ** 32
  }

  newKeyPair(environment: string, nth: number): { publicKey: string; secretKey: string } {
    return {
      publicKey: `pk_${environment}_${base62(this.#digest(`pk:${nth}`), 24)}`,
      secretKey: `sk_${environment}_${base62(this.#digest(`sk:${nth}`), 32)}`,
    }
  }

  /** Signs texts that leave the server and come back: cursors and page addresses. */
  sign(text: string): string {
    this.#signatures ??= new Map()
    let signature = this.#signatures.get(text)
    if (signature === undefined) {
      if (this.#signatures.size === MOST_SIGNATURES) this.#signatures.clear()
      signature = createHmac('sha256', this.seed).update(text).digest('base64url').slice(0, 22)
      this.#signatures.set(text, signature)
    }
    return signature
  }

  #digest(text: string): Buffer {
    return hash('sha256', `${this.seed}:${text}`, 'buffer')
  }
}

/** Between a seed and what was drawn to it. */
const DRAW = '\n'

/**
 * A seed whose ids are others from now on. What was signed stays valid: addresses of pages are in the hands of payers,
 * and cursors in those of merchants.
 */
export const drawnAnew = (seed: string, draw: string) => `${firstSeed(seed)}${DRAW}${draw}`

/** The seed as it was before anything was drawn to it. */
export const firstSeed = (seed: string) => seed.split(DRAW, 1)[0] ?? seed

/** The draw after this one, the same for the same history. */
export const nextDraw = (seed: string, moves: number) =>
  hash('sha256', `draw:${seed}:${moves}`, 'buffer').toString('base64url')

/** Where a count begins whose earlier values nobody knows. */
export const randomCount = () => randomBytes(6).readUIntBE(0, 6)

const SEED_BYTES = 24

export const randomSeed = () => randomBytes(SEED_BYTES).toString('base64url')

/** A seed, and a secret that does not follow from it. Drawn at once, because each draw takes longer than its bytes. */
export function randomSource(): { readonly seed: string; readonly secret: string } {
  const bytes = randomBytes(2 * SEED_BYTES)
  return {
    seed: bytes.toString('base64url', 0, SEED_BYTES),
    secret: bytes.toString('base64url', SEED_BYTES),
  }
}

function base62(bytes: Buffer, length: number): string {
  let text = ''
  for (let at = 0; at < length; at++) text += BASE62[(bytes[at % bytes.length] ?? 0) % 62]
  return text
}

const COUNTER_LENGTH = 6
const PREFIX_LENGTH = ID_LENGTH - COUNTER_LENGTH

/** One cheap id for each request: a prefix from the seed, and a counter. */
export class RequestIds {
  readonly #prefix: string
  #count = 0
  /** The prefix with all digits but the last, which most ids share with the one before. */
  #stem = ''

  constructor(seed: string) {
    this.#prefix = `req_${base62(hash('sha256', seed, 'buffer'), PREFIX_LENGTH)}`
  }

  next(): string {
    const last = ++this.#count % 62
    if (last === 0 || this.#stem === '') this.#stem = this.#prefix + digitsOf(Math.floor(this.#count / 62))
    return this.#stem + BASE62.charAt(last)
  }
}

function digitsOf(count: number): string {
  let digits = ''
  for (let rest = count; digits.length < COUNTER_LENGTH - 1; rest = Math.floor(rest / 62))
    digits = BASE62.charAt(rest % 62) + digits
  return digits
}
