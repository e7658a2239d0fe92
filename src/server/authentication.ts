import { randomBytes, timingSafeEqual } from 'node:crypto'
import { isIP } from 'node:net'
import type { KeyHolder, ServedAccount } from '../engine/account/served-accounts.ts'
import type { Gateway } from '../engine/gateway.ts'
import { StartError } from '../engine/store/store-errors.ts'
import type { Exchange } from './http/exchange.ts'
import { refuseProblems } from './refusal.ts'

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
    if (!given || !holder || !isSameSecret(given.secretKey, holder.secretKey)) return undefined
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

/** Compares two secrets in a time that does not depend on where they differ. */
export function isSameSecret(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}

/**
 * A web page can make a browser send requests here under a name of its own that points to 127.0.0.1. Such a name is
 * not ours, so it is refused; an address says nothing about who wrote it and is fine.
 */
export function hostGuard(allowed: readonly string[]): (exchange: Exchange) => void {
  const names = new Set(['localhost', ...allowed.map(name => name.toLowerCase())])
  const isOurs = (host: string | undefined) => {
    const name = hostname(host)
    // Calls of this process come between those of others, and to look for an address takes longest.
    return name !== undefined && (names.has(name) || name.endsWith('.localhost') || isIP(name) !== 0)
  }
  // Nearly every request has the same host.
  let lastSeen: string | undefined
  return ({ headers: { host }, rawHeaders, authority }) => {
    if (authority !== undefined && !isSameHost(authority, host)) {
      const message = 'is not the host in the target of the request; send the same host in both'
      throw refuseProblems([{ field: 'Host', message }])
    }
    if (isGivenOnce(rawHeaders) && (host === lastSeen || isOurs(host))) {
      lastSeen = host
      return
    }
    const message = 'is not a host name of this server; to allow it, start the server with --allow-host NAME'
    throw refuseProblems([{ field: 'Host', message }])
  }
}

/** If there are two Host headers, Node shows the first, but a proxy may have used the second. */
function isGivenOnce(rawHeaders: readonly string[]): boolean {
  let hosts = 0
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  return hosts === 1
}

function hostname(host: string | undefined): string | undefined {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([A-Za-z0-9._-]+))(?::\d{1,5})?$/.exec(host ?? '')
  return (match?.[1] ?? match?.[2])?.toLowerCase()
}

/** The port 80 need not be written. */
function isSameHost(authority: string, host = ''): boolean {
  const [one, other] = [authority, host].map(text => text.toLowerCase().replace(/:80$/, ''))
  return one === other
}

const SHORTEST = 8
/** Hosts that other machines can reach, where strangers can try tokens. */
const SHORTEST_ON_NETWORK = 16

/** Whether no other machine reaches a server that listens there. */
const isOnlyHere = (host: string) =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))

/** What the network can do with a server that listens there; undefined if nothing. */
export const openedBy = (host: string, url: string, controlUrl: string): string | undefined =>
  isOnlyHere(host)
    ? undefined
    : `other machines can reach this server at ${url}: the merchant API with the keys of an account, a payer's page with its address alone, and everything with the control token, at ${controlUrl}`

export const newControlToken = () => randomBytes(24).toString('base64url')

/**
 * The token gives full control, so one that is easy to guess is refused. The users of a server that other machines can reach
 * need to be told the token: one that nobody gave must be in a store, since another start would make another one.
 */
export function chooseControlToken(given: string | undefined, host: string): string {
  const isLocal = isOnlyHere(host)
  if (given === undefined && isLocal) return newControlToken()
  if (given === undefined)
    throw new StartError(
      `other machines can reach ${host}, and the control token gives full control: choose a token of at least ${SHORTEST_ON_NETWORK} characters, with --control-token-file or PAYSIM_CONTROL_TOKEN`,
      2,
    )
  const shortest = isLocal ? SHORTEST : SHORTEST_ON_NETWORK
  if (given.length < shortest)
    throw new StartError(
      `the control token is too short: it has ${given.length} characters; use at least ${shortest}${isLocal ? '' : ` where other machines can reach ${host}`}`,
      2,
    )
  if (!/^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(given))
    throw new StartError('the control token must be printable ASCII, without a space at either end', 2)
  return given
}
