import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { readPackageFile } from '../package-files.ts'
import type { Reply } from './http/reply.ts'
import type { Request } from './http/request.ts'
import type { Routes } from './http/routes.ts'
import { notFound } from './refusal.ts'

/**
 * The files of the dashboard and of the payer's pages. They contain no data, so they are open to everyone; the data of
 * the dashboard comes through authenticated calls.
 */

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

interface File {
  readonly bytes: Buffer
  /** Its gzip, once somebody wanted it. */
  packed?: Buffer
  readonly hash: string
}

/** Each is read when it is first wanted, which keeps the start fast. */
const filesRead = new Map<string, File>()

function fileNamed(path: string): File {
  const known = filesRead.get(path)
  if (known) return known
  const bytes = readPackageFile(`dist/web/${path}`)
  const file: File = { bytes, hash: createHash('sha256').update(bytes).digest('base64url').slice(0, 22) }
  filesRead.set(path, file)
  return file
}

function sendFile(reply: Reply, path: string, { headers }: Request): Reply {
  const file = fileNamed(path)
  const packs = TAKES_GZIP.test(String(headers['accept-encoding'] ?? ''))
  const etag = `"${file.hash}${packs ? '-gzip' : ''}"`
  reply.headers({
    etag,
    'content-type': TYPES[path.slice(path.lastIndexOf('.') + 1)] ?? '',
    vary: 'accept-encoding',
    ...(packs ? { 'content-encoding': 'gzip' } : {}),
  })
  if (headers['if-none-match'] === etag) return reply.code(304).send()
  if (!packs) return reply.send(file.bytes)
  file.packed ??= gzipSync(file.bytes)
  return reply.send(file.packed)
}

/** Named, and not refused by a weight of zero. */
const TAKES_GZIP = /(?:^|[\s,])(?:gzip|\*)(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/i

const CHECKOUT = ['style.css', 'main.js', 'icon.svg'] as const

/** Its address depends on its content, so a browser may cache it forever. */
export const assetUrl = (name: (typeof CHECKOUT)[number]) =>
  `/checkout/${name}?v=${fileNamed(`checkout/${name}`).hash}`

export function assetCalls(routes: Routes): void {
  for (const name of CHECKOUT)
    routes.page(`/checkout/${name}`, (request, reply) => {
      const isNamed = request.query.v === fileNamed(`checkout/${name}`).hash
      reply.header('cache-control', isNamed ? 'public, max-age=31536000, immutable' : 'no-cache')
      return sendFile(reply, `checkout/${name}`, request)
    })
}

/** Allows only files from this server, no inline code or style, and no embedding in frames. */
const DASHBOARD_HEADERS = {
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
  'cache-control': 'no-cache',
}

/** `/dashboard/<account>/<page>/<record>` is the deepest path of the dashboard. */
const DEEPEST = 3

export function dashboardPages(routes: Routes): void {
  routes.get('/dashboard/assets/:file', (request, reply) =>
    sendDashboardFile(request, reply, request.params.file),
  )
  const page = (request: Request, reply: Reply) => sendDashboardFile(request, reply, 'index.html')
  for (let depth = 1; depth <= DEEPEST; depth++)
    routes.get(`/dashboard${Array.from({ length: depth }, (_, at) => `/:${at}`).join('')}`, page)
  routes.get('/dashboard/', page)
  routes.get('/dashboard', (_, reply) => reply.code(308).header('location', '/_paysim/dashboard/').send())
}

function sendDashboardFile(request: Request, reply: Reply, name = ''): Reply {
  const [, type = ''] = /^[A-Za-z0-9-]+\.([a-z]+)$/.exec(name) ?? []
  if (!Object.hasOwn(TYPES, type)) throw notFound('file')
  const path = `dashboard/${name}`
  try {
    fileNamed(path)
  } catch {
    throw notFound('file')
  }
  return sendFile(reply.headers(DASHBOARD_HEADERS), path, request)
}
