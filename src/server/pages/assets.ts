import { createHash } from 'node:crypto'
import { readPackageFile } from '../../package-files.ts'
import type { Reply } from '../http/reply.ts'
import type { Request } from '../http/request.ts'
import type { Routes } from '../http/routes.ts'

const TYPES = {
  'style.css': 'text/css; charset=utf-8',
  'main.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
} as const

type AssetName = keyof typeof TYPES

const loaded = new Map<AssetName, { bytes: Buffer; hash: string }>()

/** The files of the pages. They are read when the first page is shown, which keeps the start fast. */
function asset(name: AssetName) {
  const known = loaded.get(name)
  if (known) return known
  const bytes = readPackageFile(`dist/web/checkout/${name}`)
  const read = { bytes, hash: createHash('sha256').update(bytes).digest('base64url').slice(0, 12) }
  loaded.set(name, read)
  return read
}

/** Its address depends on its content, so a browser may cache it forever. */
export const assetUrl = (name: AssetName) => `/checkout/${name}?v=${asset(name).hash}`

export function assetCalls(routes: Routes): void {
  for (const name of Object.keys(TYPES) as AssetName[])
    routes.page(`/checkout/${name}`, (request, reply) => sendAsset(name, request, reply))
}

function sendAsset(name: AssetName, request: Request, reply: Reply): Reply {
  const { bytes, hash } = asset(name)
  const etag = `"${hash}"`
  const isNamed = request.query.v === hash
  reply.headers({
    'content-type': TYPES[name],
    'cache-control': isNamed ? 'public, max-age=31536000, immutable' : 'no-cache',
    etag,
  })
  return request.headers['if-none-match'] === etag ? reply.code(304).send() : reply.send(bytes)
}
