import { timingSafeEqual } from 'node:crypto'
import type { Gateway } from '../engine/gateway.ts'
import type { ServedAccount } from '../engine/served-account.ts'
import type { KeyHolder } from '../engine/served-accounts.ts'

const BASIC = /^Basic +([A-Za-z0-9+/]+={0,2})$/i
const HEADERS_KEPT = 1024

/** Finds the account of a request by its key pair. All failures look the same to the caller. */
export class Authentication {
  /** A cache of valid headers and their keys, used while the key is valid. */
  readonly #seen = new Map<string, { publicKey: string; holder: KeyHolder }>()

  constructor(private readonly gateway: Gateway) {}

  account(header: string | undefined): ServedAccount | undefined {
    const seen = header === undefined ? undefined : this.#seen.get(header)
    if (seen && this.gateway.keyHolder(seen.publicKey) === seen.holder) return seen.holder.account
    return this.#check(header)?.account
  }

  #check(header = ''): KeyHolder | undefined {
    const given = readBasic(header)
    const holder = given && this.gateway.keyHolder(given.publicKey)
    if (!given || !holder || !same(given.secretKey, holder.secretKey)) return undefined
    if (this.#seen.size >= HEADERS_KEPT) this.#seen.clear()
    this.#seen.set(header, { publicKey: given.publicKey, holder })
    return holder
  }
}

function readBasic(header: string): { publicKey: string; secretKey: string } | undefined {
  const encoded = BASIC.exec(header)?.[1]
  if (encoded === undefined) return undefined
  const [publicKey = '', ...rest] = Buffer.from(encoded, 'base64').toString().split(':')
  return rest.length === 0 ? undefined : { publicKey, secretKey: rest.join(':') }
}

function same(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
