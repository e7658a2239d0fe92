import type { ControlTransport } from '../../client/control-transport.ts'
import type { Keys } from '../../client/credentials.ts'
import type { Transport, Upload, WireRequest } from '../../client/index.ts'
import { shellQuoted } from '../../contract/shell-words.ts'

/** Ends a command before its request is sent, with a curl command for the request. */
export class DryRunError extends Error {
  constructor(readonly curl: string) {
    super('nothing was sent')
  }
}

/** Stand in for keys that a dry run neither sends nor shows. */
export const DRY_KEYS: Keys = { publicKey: 'none', secretKey: 'none' }

/** Credentials for curl that name variables instead of showing secrets: the command works if they are set. */
export const CURL_KEYS = '-u "$PAYSIM_PUBLIC_KEY:$PAYSIM_SECRET_KEY"'
export const CURL_CONTROL_TOKEN = '-H "Authorization: Bearer $PAYSIM_CONTROL_TOKEN"'

/** Sends nothing: throws a `DryRunError` for the first request. */
export function dryRunTransport(credentials: string): Transport & ControlTransport {
  const show = async (request: WireRequest) => {
    throw new DryRunError(asCurl(request, credentials))
  }
  return { send: show, open: show, close: async () => {} }
}

/** Headers that are secret, or that curl sets itself. */
const OMITTED = new Set(['authorization', 'accept-encoding', 'user-agent', 'content-length', 'accept'])

function asCurl({ method, origin, path, headers, body }: WireRequest, credentials: string): string {
  const shown = Object.entries(headers).filter(([name]) => !OMITTED.has(name))
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
