import type { Keys } from '../../client/credentials.ts'
import type { Transport, Upload, WireRequest } from '../../client/index.ts'

/** The request that would have been sent, as a command that sends it. */
export class DryRun extends Error {
  constructor(readonly curl: string) {
    super('nothing was sent')
  }
}

/** Stand for keys where none are needed, since none are shown. */
export const DRY_KEYS: Keys = { publicKey: 'none', secretKey: 'none' }

/** Takes each request for its word, and sends none. */
export const dryRunTransport = (): Transport => ({
  send: async request => {
    throw new DryRun(asCurl(request))
  },
  close: async () => {},
})

/** Headers that say nothing of the call, or that curl makes itself. */
const UNTOLD = new Set(['authorization', 'accept-encoding', 'user-agent', 'content-length', 'accept'])

/** Credentials are named and not shown: with them in the environment the command works as it stands. */
const KEYS = '-u "$PAYSIM_PUBLIC_KEY:$PAYSIM_SECRET_KEY"'

export function asCurl({ method, origin, path, headers, body }: WireRequest, credentials = KEYS): string {
  const told = Object.entries(headers).filter(([name]) => !UNTOLD.has(name))
  return [
    `curl -sS${method === 'GET' ? '' : ` -X ${method}`} ${quoted(`${origin}${path}`)}`,
    credentials,
    ...told.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    ...(body === undefined ? [] : typeof body === 'string' ? [`--data-raw ${quoted(body)}`] : fileOf(body)),
  ].join(' \\\n  ')
}

function fileOf({ path, filename, contentType, fields }: Upload): string[] {
  const file = path ?? filename
  if (fields === 'none')
    return [`-H ${quoted(`content-type: ${contentType}`)}`, `--data-binary ${quoted(`@${file}`)}`]
  const others = Object.entries(fields ?? {}).map(([name, value]) => `-F ${quoted(`${name}=${value}`)}`)
  return [...others, `-F ${quoted(`file=@${file};type=${contentType}`)}`]
}

/** For a POSIX shell: nothing in it is special but the quote itself. */
const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`
