import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Request } from '../http/request.ts'
import { comesFromOwnPage } from './own-page.ts'

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
    return given !== undefined && same(given, this.#value) && comesFromOwnPage(request)
  }

  isToken(text: string): boolean {
    return same(text, this.controlToken)
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

function same(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)]
  return left.length === right.length && timingSafeEqual(left, right)
}
