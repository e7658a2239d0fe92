import type { Keys } from '../../client/credentials.ts'
import type { Transport, Upload, WireRequest } from '../../client/index.ts'
import { shellQuoted } from '../shell-words.ts'

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
  const shown = Object.entries(headers).filter(([name]) => !UNTOLD.has(name))
  return [
    `curl -sS${method === 'GET' ? '' : ` -X ${method}`} ${shellQuoted(`${origin}${path}`)}`,
    credentials,
    ...shown.map(([name, value]) => `-H ${shellQuoted(`${name}: ${value}`)}`),
    ...(body === undefined
      ? []
      : typeof body === 'string'
        ? [`--data-raw ${shellQuoted(body)}`]
        : fileOf(body)),
  ].join(' \\\n  ')
}

function fileOf({ path, filename, contentType, fields }: Upload): string[] {
  const file = path ?? filename
  if (fields === 'none')
    return [`-H ${shellQuoted(`content-type: ${contentType}`)}`, `--data-binary ${shellQuoted(`@${file}`)}`]
  const others = Object.entries(fields ?? {}).map(([name, value]) => `-F ${shellQuoted(`${name}=${value}`)}`)
  return [...others, `-F ${shellQuoted(`file=@${file};type=${contentType}`)}`]
}
