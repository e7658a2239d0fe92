/** An answer as it came: its status, its headers, and the exact text. */
export interface WireAnswer {
  readonly status: number
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** The answer to a request that is made once, and that may get none: `lost` says why there is no complete answer. */
export interface ReceivedAnswer extends WireAnswer {
  /** The parsed JSON body; undefined if it is not JSON. */
  readonly body: unknown
  readonly lost?: string
}

export const noAnswer = (lost: string): ReceivedAnswer => ({
  status: 0,
  headers: {},
  text: '',
  body: undefined,
  lost,
})

/** Headers with one value for each name. */
export function flatHeaders(
  headers: Readonly<Record<string, string | string[] | undefined>>,
): Record<string, string> {
  const flat: Record<string, string> = {}
  for (const name in headers) {
    const value = headers[name]
    flat[name] = Array.isArray(value) ? value.join(', ') : (value ?? '')
  }
  return flat
}

/** Headers about one connection, which are not passed on. */
export const HOP_BY_HOP: ReadonlySet<string> = new Set([
  ...['connection', 'expect', 'keep-alive', 'proxy-connection'],
  ...['te', 'trailer', 'transfer-encoding', 'upgrade'],
])

export const lowerCased = (headers: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
