import { createHash } from 'node:crypto'
import { readPackageFile } from '../../package-files.ts'
import type { Reply } from '../http/reply.ts'
import type { Request } from '../http/request.ts'
import type { Routes } from '../http/routes.ts'
import { notFound } from '../refusal.ts'

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

/** Allows only files from this server, no inline code or style, and no embedding in frames. */
const HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    // A QR code is a data URL in the payment.
    "img-src 'self' data:",
    "connect-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
}

interface File {
  readonly bytes: Buffer
  readonly etag: string
}

/** `/dashboard/<account>/<page>/<record>` is the deepest path of the dashboard. */
const DEEPEST = 3

/**
 * The files of the dashboard. They contain no data, so they are open to everyone; their data comes through
 * authenticated calls.
 */
export function dashboardPages(routes: Routes): void {
  routes.get('/dashboard/assets/:file', ({ params, headers }, reply) =>
    sendFile(reply, params.file ?? '', headers['if-none-match']),
  )
  const page = ({ headers }: Request, reply: Reply) => sendFile(reply, 'index.html', headers['if-none-match'])
  for (let depth = 1; depth <= DEEPEST; depth++)
    routes.get(`/dashboard${Array.from({ length: depth }, (_, at) => `/:${at}`).join('')}`, page)
  routes.get('/dashboard/', page)
  routes.get('/dashboard', (_, reply) => reply.code(308).header('location', '/_paysim/dashboard/').send())
}

function sendFile(reply: Reply, name: string, known: string | undefined): Reply {
  const type = TYPES[/^[A-Za-z0-9-]+\.([a-z]+)$/.exec(name)?.[1] ?? '']
  if (!type) throw notFound('file')
  const { bytes, etag } = fileNamed(name)
  reply.headers({ ...HEADERS, etag, 'cache-control': 'no-cache', 'content-type': type })
  return known === etag ? reply.code(304).send() : reply.send(bytes)
}

/** Each is read at its first request. */
const filesRead = new Map<string, File>()

function fileNamed(name: string): File {
  const known = filesRead.get(name)
  if (known) return known
  const bytes = bytesOf(name)
  const file = { bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` }
  filesRead.set(name, file)
  return file
}

function bytesOf(name: string): Buffer {
  try {
    return readPackageFile(`dist/web/dashboard/${name}`)
  } catch {
    throw notFound('file')
  }
}
