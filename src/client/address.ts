import { ArgumentError } from './errors.ts'

/** Where the API is: an origin, and the prefix that its paths have there. */
export interface Address {
  readonly origin: string
  /** `` or `/v1`: never ends in a slash. */
  readonly prefix: string
  readonly hostname: string
  readonly secure: boolean
}

export type QueryValue = string | number | boolean | readonly (string | number)[] | null | undefined
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

/** A key pasted into the wrong place is not repeated in a message. */
const shownUnlessSecret = (text: string) =>
  /[@]|[ps]k_(live|test)_/.test(text) ? '' : `, not ${JSON.stringify(text)}`

/** A path under the prefix, and never out of the origin: `//evil.example` is a path like any other. */
export function join({ prefix }: Address, path: string, query: Query = {}): string {
  const joined = `${prefix}/${encodeUnsafe(path).replace(/^\/+/, '')}`
  const search = searchOf(query)
  if (search === '') return joined
  return `${joined}${joined.includes('?') ? '&' : '?'}${search}`
}

/** A template with its parameters put in: ('/payment_intents/:id', { id: 'a/b' }) is '/payment_intents/a%2Fb'. */
export function fill(template: string, parameters: Readonly<Record<string, string>>): string {
  return template.replaceAll(/:([a-z_]+)/g, (_, name: string) => {
    const value = parameters[name]
    if (typeof value !== 'string' || value === '') throw new ArgumentError(`${name} must not be empty`)
    // Whoever resolves dot segments on the way would end at another address.
    if (value === '.' || value === '..') return value.replaceAll('.', '%2E')
    return encodeURIComponent(value.toWellFormed())
  })
}

/** What a list of values means on the wire is one text with commas; what is null or undefined is left out. */
function searchOf(query: Query): string {
  return Object.entries(query)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(String(value).toWellFormed())}`)
    .join('&')
}

/** Leaves what is encoded as it is, and encodes what may not stand in a request line. */
function encodeUnsafe(path: string): string {
  return path.toWellFormed().replaceAll(/[^\x21-\x7e]|["#<>\\^`{|}]/gu, encodeURIComponent)
}
