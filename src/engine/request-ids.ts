import { createHash } from 'node:crypto'
import { base62 } from './ids.ts'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const COUNTER_LENGTH = 6
const PREFIX_LENGTH = 24 - COUNTER_LENGTH

/** One cheap id for each request: a prefix from the seed, and a counter. */
export class RequestIds {
  readonly #prefix: string
  #count = 0

  constructor(seed: string) {
    this.#prefix = `req_${base62(createHash('sha256').update(seed).digest(), PREFIX_LENGTH)}`
  }

  next(): string {
    let count = ++this.#count
    let digits = ''
    for (let at = 0; at < COUNTER_LENGTH; at++) {
      digits = BASE62.charAt(count % 62) + digits
      count = Math.floor(count / 62)
    }
    return this.#prefix + digits
  }
}
