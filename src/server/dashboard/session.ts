import { createHmac, randomBytes } from 'node:crypto'
import type { Holders } from '../../engine/store/holders.ts'
import { isSameSecret } from '../authentication.ts'
import type { Request } from '../http/request.ts'

const YEAR_S = 365 * 24 * 3600

/**
 * A signed-in browser. Its cookie is derived from the control token and nothing is stored here, so a session survives a
 * restart if the token stays the same. The processes on one database have one token, so a session is good at all of
 * them, and ends with the token. A cookie does not show the token, because it is an HMAC of a fixed text under it.
 */
export class Session {
  #proof: string | undefined

  constructor(private readonly controlToken: string) {}

  /** Whether the request comes from our own page in a signed-in browser. */
  admits(request: Request): boolean {
    const given = cookieOf(request)
    return given !== undefined && isSameSecret(given, this.#value) && comesFromOwnPage(request)
  }

  isToken(text: string): boolean {
    return isSameSecret(text, this.controlToken)
  }

  begin(request: Request): string {
    return `${cookieName(request)}=${this.#value}; Max-Age=${YEAR_S}; ${ATTRIBUTES}`
  }

  end(request: Request): string {
    return `${cookieName(request)}=; Max-Age=0; ${ATTRIBUTES}`
  }

  get #value(): string {
    this.#proof ??= createHmac('sha256', this.controlToken).update('paysim dashboard').digest('base64url')
    return this.#proof
  }
}

const ATTRIBUTES = 'Path=/_paysim; HttpOnly; SameSite=Strict'

/** Browsers share cookies among all ports of a host, so the name contains the port. */
const cookieName = ({ headers }: Request) =>
  `paysim_dashboard_${/:(\d{1,5})$/.exec(headers.host ?? '')?.[1] ?? '80'}`

function cookieOf(request: Request): string | undefined {
  const start = `${cookieName(request)}=`
  return request.headers.cookie
    ?.split(';')
    .map(pair => pair.trim())
    .find(pair => pair.startsWith(start))
    ?.slice(start.length)
}

/** How long a sign-in link is valid. */
const LIFE_MS = 15 * 60_000

/**
 * Links that sign a browser in. Each works once, for a limited time, and in every process of a cluster: a code says when
 * it ends, and is signed.
 */
export class SignInLinks {
  readonly #used = new Set<string>()
  readonly #secret: string

  constructor(
    private readonly base: () => string,
    private readonly cluster?: Pick<Holders, 'secret' | 'useOnce'>,
  ) {
    this.#secret = cluster?.secret ?? randomBytes(24).toString('base64url')
  }

  /** For somebody who reaches the dashboard there. */
  issue(base = this.base()): { url: string; expires_in_ms: number } {
    const text = `${Date.now() + LIFE_MS}.${randomBytes(24).toString('base64url')}`
    return { url: `${base}/sign-in?code=${text}.${this.#sign(text)}`, expires_in_ms: LIFE_MS }
  }

  /** Whether the code was valid. A valid code is used up. */
  async redeem(code: unknown): Promise<boolean> {
    const [, text = '', end = '', proof = ''] =
      /^((\d{1,16})\.[\w-]{32})\.([\w-]{43})$/.exec(String(code)) ?? []
    const leftMs = Number(end) - Date.now()
    if (!isSameSecret(this.#sign(text), proof) || !(leftMs > 0)) return false
    return this.cluster ? this.cluster.useOnce(text, leftMs) : this.#useOnce(text, leftMs)
  }

  #useOnce(text: string, forMs: number): boolean {
    if (this.#used.has(text)) return false
    this.#used.add(text)
    // This timer must not keep the process running.
    setTimeout(() => this.#used.delete(text), forMs).unref()
    return true
  }

  #sign(text: string): string {
    return createHmac('sha256', this.#secret).update(`paysim sign-in ${text}`).digest('base64url')
  }
}

/**
 * A header that neither a form nor a simple request of another origin can carry; the server answers no preflight
 * request.
 */
const OWN_HEADER = 'x-paysim-dashboard'

/**
 * A browser sends a cookie with requests of any page, and SameSite does not distinguish ports of this machine. So a
 * request with a cookie must come from our own page: the browser sends its origin, and changes need a header that other
 * pages cannot set.
 */
export function comesFromOwnPage({ method, headers }: Request): boolean {
  const site = headers['sec-fetch-site']
  // Only old browsers, and pages over plain HTTP from another machine, leave the header out.
  if (site !== undefined && site !== 'same-origin') return false
  const { origin, host } = headers
  if (origin !== undefined && !(URL.canParse(origin) && new URL(origin).host === host)) return false
  return method === 'GET' || headers[OWN_HEADER] === '1'
}
