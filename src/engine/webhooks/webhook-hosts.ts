import { type LookupAddress, lookup } from 'node:dns'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { networkInterfaces } from 'node:os'

/** How many hosts stay checked. */
const PROBLEMS_KEPT = 1000

/** Turns a host name into its addresses, as `dns.lookup` does with `all`. */
type Resolve = (
  name: string,
  done: (error: Error | null, addresses: readonly LookupAddress[]) => void,
) => void

/** A webhook URL whose host was not allowed when the server started. */
export class WebhookHostError extends Error {
  override readonly name = 'WebhookHostError'
}

/**
 * Where webhooks may go: this machine, and what `--allow-webhooks` names, which is a host, a host with a port, an
 * address or a range of addresses. A name proves nothing: what counts is the address of the connection.
 */
export class WebhookHosts {
  /** The allowed hosts as given, with a port or without. */
  readonly #hosts = new Set<string>()
  readonly #hostnames = new Set<string>()
  readonly #addresses = new Ranges()
  /** By the host and port of a URL: the ranges of addresses take longer than the rest of a request. */
  readonly #problems = new Map<string, string | undefined>()

  constructor(
    allowed: readonly string[] = [],
    private readonly resolve: Resolve = (name, done) => lookup(name, { all: true }, done),
  ) {
    for (const text of allowed) this.#allow(text)
  }

  #allow(text: string): void {
    const [base = '', bits] = text.replace(/^\[(.*)\]$/, '$1').split('/')
    if (isIP(base) !== 0 && (bits === undefined || isPrefixLength(bits, base)))
      return this.#addresses.add(base, bits === undefined ? undefined : Number(bits))
    if (!/^[^/@?#]+$/.test(text) || !URL.canParse(`http://${text}`))
      throw new WebhookHostError(
        `${text} is not a host, a host with a port, an address or a range such as 10.0.0.0/8`,
      )
    const { host, hostname } = new URL(`http://${text}`)
    this.#hosts.add(host)
    this.#hostnames.add(hostname)
  }

  /**
   * Why webhooks may not go to this URL; undefined if they may. A host name is resolved only when a webhook is sent.
   */
  problem(url: URL): string | undefined {
    if (!this.#problems.has(url.host)) {
      if (this.#problems.size >= PROBLEMS_KEPT) this.#problems.clear()
      this.#problems.set(url.host, this.#problemOf(url))
    }
    return this.#problems.get(url.host)
  }

  #problemOf(url: URL): string | undefined {
    const host = hostOf(url)
    if (isIP(host) !== 0) return this.#addressProblem(host, this.#isNamed(url))
    if (isLocalName(host) || this.#isNamed(url)) return undefined
    return refusal(host)
  }

  /** Looks up a host for a connection, in place of the system. Returns only addresses that webhooks may go to. */
  readonly lookup: LookupFunction = (name, _, done) =>
    this.resolve(name, (error, found) => {
      if (error) return done(error, [])
      const problemOf = ({ address }: LookupAddress) =>
        this.#addressProblem(address, this.#hostnames.has(name))
      const allowed = found.filter(address => problemOf(address) === undefined)
      const [first] = found
      if (allowed.length > 0 || !first) return done(null, allowed)
      done(new WebhookHostError(`${name} ${problemOf(first)}`), [])
    })

  #isNamed(url: URL): boolean {
    return this.#hosts.has(url.hostname) || this.#hosts.has(url.host)
  }

  #addressProblem(address: string, isNamed: boolean): string | undefined {
    if (LOOPBACK.has(address)) return undefined
    if ([address, ...embedded(address)].some(one => METADATA.has(one)))
      return `points to ${address}, a cloud's metadata service: webhooks never go there`
    if (this.#addresses.has(address)) return undefined
    return isNamed && !SPECIAL.has(address) ? undefined : refusal(address)
  }
}

/** Whether a connection to this address ends on this machine. */
export function isThisMachine(address: string): boolean {
  const own = Object.values(networkInterfaces()).flatMap(found => found ?? [])
  return [address.replace(/%.*$/, ''), ...embedded(address)].some(
    one => LOOPBACK.has(one) || THIS_HOST.has(one) || own.some(found => found.address === one),
  )
}

const refusal = (host: string) =>
  `points to ${host}, which is not this machine: start with --allow-webhooks ${host}`

/** The host of a URL, an IPv6 address without its brackets. */
export const hostOf = ({ hostname }: URL) => hostname.replace(/^\[(.*)\]$/, '$1')

/**
 * Names that are never looked up in DNS. They may lead only to this machine, like any name that is not allowed.
 */
const isLocalName = (host: string) => host === 'localhost' || host.endsWith('.localhost')

/** Of an address: Node's own check takes some milliseconds before its first answer. */
const isSix = (address: string) => address.includes(':')

const familyOf = (address: string) => (isSix(address) ? 'ipv6' : 'ipv4')

const isPrefixLength = (bits: string, base: string) =>
  /^\d{1,3}$/.test(bits) && Number(bits) <= (isSix(base) ? 128 : 32)

/** The IPv4 addresses that a mapped, translated, 6to4 or Teredo address carries. */
function embedded(address: string): string[] {
  if (!isSix(address)) return []
  const [head = '', tail = ''] = new URL(`http://[${address.replace(/%.*$/, '')}]`).hostname
    .slice(1, -1)
    .split('::')
  const [before, after] = [head, tail].map(part => part.split(':').filter(Boolean))
  const zeros = Array.from({ length: 8 - (before?.length ?? 0) - (after?.length ?? 0) }, () => '0')
  const groups = [...(before ?? []), ...zeros, ...(after ?? [])].map(group => Number.parseInt(group, 16))
  const octets = groups.flatMap(group => [group >> 8, group & 255])
  const last = octets.slice(12)
  if (groups[0] === 0x2002) return [octets.slice(2, 6).join('.')]
  // The prefix of a network's own translator has 48 bits, and the ninth octet is always left out.
  if (LOCAL_TRANSLATION.has(address)) return [[...octets.slice(6, 8), ...octets.slice(9, 11)].join('.')]
  // A server, and the client with all bits turned.
  if (TEREDO.has(address)) return [octets.slice(4, 8).join('.'), last.map(octet => 255 - octet).join('.')]
  return [last.join('.')]
}

/** `BlockList` takes an IPv4 address and its IPv6 form for one. Here they are two, so each family has its own list. */
class Ranges {
  #lists: Record<'ipv4' | 'ipv6', BlockList> | undefined

  /** They are read with the first webhook, because most starts send none soon. */
  constructor(private readonly texts: readonly string[] = []) {}

  get #byFamily() {
    if (!this.#lists) {
      this.#lists = { ipv4: new BlockList(), ipv6: new BlockList() }
      for (const text of this.texts) {
        const [base = '', bits] = text.split('/')
        this.add(base, Number(bits))
      }
    }
    return this.#lists
  }

  add(base: string, bits = isSix(base) ? 128 : 32): void {
    const family = familyOf(base)
    this.#byFamily[family].addSubnet(base, bits, family)
  }

  has(address: string): boolean {
    const family = familyOf(address)
    return this.#byFamily[family].check(address, family)
  }
}

const rangesOf = (...texts: string[]) => new Ranges(texts)

/** Where clouds give their machines information, even keys. No webhook may go there. */
const METADATA = rangesOf(
  ...['169.254.169.254/32', '169.254.170.2/32', '169.254.170.23/32', '100.100.100.200/32'],
  ...['168.63.129.16/32', '192.0.0.192/32'],
  ...['fd00:ec2::254/128', 'fd00:ec2::23/128', 'fd20:ce::254/128'],
)
const LOCAL_TRANSLATION = rangesOf('64:ff9b:1::/48')
const TEREDO = rangesOf('2001::/32')
const LOOPBACK = rangesOf('127.0.0.0/8', '::1/128')
const THIS_HOST = rangesOf('0.0.0.0/8', '::/128')
/** "This host", carrier-grade NAT, link-local, and the IPv6 forms that carry an IPv4 address. */
const SPECIAL = rangesOf(
  ...['0.0.0.0/8', '100.64.0.0/10', '169.254.0.0/16'],
  ...['::/96', '::ffff:0:0/96', '64:ff9b::/96', '64:ff9b:1::/48', '2001::/32', '2002::/16', 'fe80::/10'],
)
