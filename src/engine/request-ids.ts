import { createHash } from 'node:crypto'
import { base62 } from './ids.ts'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const COUNTER_LENGTH = 6
const PREFIX_LENGTH = 24 - COUNTER_LENGTH

/** One cheap id for each request: a prefix from the seed, and a counter. */
export class RequestIds {
  readonly #prefix: string
  #count = 0
  /** The prefix with all digits but the last, which most ids share with the one before. */
  #stem = ''

  constructor(seed: string) {
    this.#prefix = `req_${base62(createHash('sha256').update(seed).digest(), PREFIX_LENGTH)}`
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
