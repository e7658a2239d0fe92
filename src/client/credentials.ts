import { type Address, isLoopback } from './address.ts'
import { ArgumentError, UnsafeTargetError } from './errors.ts'

export interface Keys {
  readonly publicKey: string
  readonly secretKey: string
}

/** Signs requests, and keeps the secret out of everything that is shown. */
export interface Credentials {
  readonly authorization: string
  /** Removes the secret from a text that may repeat it. */
  readonly hide: (text: string) => string
}

export function isLive(publicKey: string): boolean {
  return publicKey.startsWith('pk_live_')
}

export function basic({ publicKey, secretKey }: Keys): Credentials {
  if (publicKey === '' || secretKey === '')
    throw new ArgumentError('a public key and a secret key are needed')
  if (publicKey.includes(':')) throw new ArgumentError('a public key must not contain a colon')
  const authorization = basicAuthorization(publicKey, secretKey)
  return { authorization, hide: hiding([secretKey, authorization.slice('Basic '.length)]) }
}

/** The header of HTTP's Basic authentication. */
export const basicAuthorization = (user: string, password: string) =>
  `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`

const HIDDEN = '***'

function hiding(secrets: readonly string[]): Credentials['hide'] {
  return text => secrets.reduce((shown, secret) => shown.replaceAll(secret, HIDDEN), text)
}

const SECRET_HEADERS = new Set(['authorization', 'proxy-authorization', 'cookie'])

/** Headers to show: the scheme of a credential stays, the rest is removed. */
export function redactHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      SECRET_HEADERS.has(name.toLowerCase()) ? value.replace(/^(\w+ )?.*$/s, `$1${HIDDEN}`) : value,
    ]),
  )
}

/** A live key must not be sent unencrypted over a network. */
export function refuseUnsafe({ publicKey, secretKey }: Keys, { hostname, secure, origin }: Address): void {
  if (secure || isLoopback(hostname)) return
  if (!isLive(publicKey) && !secretKey.startsWith('sk_live_')) return
  throw new UnsafeTargetError(
    `a live key is not sent to ${origin}: others can read plain http; use https, or a test key`,
  )
}
