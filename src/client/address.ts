import { ArgumentError } from './errors.ts'

/** The base URL of the API: an origin, and a prefix for all paths. */
export interface Address {
  readonly origin: string
  /** `` or `/v1`, without a slash at the end. */
  readonly prefix: string
  readonly hostname: string
  readonly secure: boolean
}

type QueryValue = string | number | boolean | readonly (string | number)[] | null | undefined
export type Query = Readonly<Record<string, QueryValue>>

export function readBaseUrl(text: string): Address {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !/^https?:$/.test(url.protocol))
    throw new ArgumentError(`the base URL must be an absolute http or https URL${shownUnlessSecret(text)}`)
  if (url.username !== '' || url.password !== '')
    throw new ArgumentError('the base URL must not contain credentials: give the keys separately')
  if (url.search !== '' || url.hash !== '')
    throw new ArgumentError(`the base URL must end with its path: ${url.origin}${url.pathname}`)
  const prefix = url.pathname.replace(/\/+$/, '')
  return { origin: url.origin, prefix, hostname: url.hostname, secure: url.protocol === 'https:' }
}

/** Does not repeat a key that was pasted into the wrong place. */
const shownUnlessSecret = (text: string) =>
  /[@]|[ps]k_(live|test)_/.test(text) ? '' : `, not ${JSON.stringify(text)}`

/** A path under the prefix, always on the same origin: `//evil.example` is treated as a path. */
export function join({ prefix }: Address, path: string, query: Query = {}): string {
  const joined = `${prefix}/${encodeUnsafe(path).replace(/^\/+/, '')}`
  const search = searchOf(query)
  if (search === '') return joined
  return `${joined}${joined.includes('?') ? '&' : '?'}${search}`
}

/** Fills in the parameters of a path: ('/payment_intents/:id', { id: 'a/b' }) gives '/payment_intents/a%2Fb'. */
export function fill(template: string, parameters: Readonly<Record<string, string>>): string {
  return template.replaceAll(/:([a-z_]+)/g, (_, name: string) => {
    const value = parameters[name]
    if (typeof value !== 'string' || value === '') throw new ArgumentError(`${name} must not be empty`)
    // A proxy or server that resolves dot segments would use another path.
    if (value === '.' || value === '..') return value.replaceAll('.', '%2E')
    return encodeURIComponent(value.toWellFormed())
  })
}

/** A list of values becomes one text with commas. Null and undefined are left out. */
function searchOf(query: Query): string {
  return Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value).toWellFormed())}`)
    .join('&')
}

/** Encodes characters that a request line must not contain, and keeps what is already encoded. */
function encodeUnsafe(path: string): string {
  return path.toWellFormed().replaceAll(/[^\x21-\x7e]|["#<>\\^`{|}]/gu, encodeURIComponent)
}

/** Whether a host, in the form of `URL.hostname`, is this machine. */
export function isLoopback(hostname: string): boolean {
  return /^(?:localhost|.+\.localhost|127(?:\.\d+){3}|\[::1\])\.?$/i.test(hostname)
}
