import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { packageFile } from '../../package-files.ts'
import type { Reply } from '../http/reply.ts'
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

class DashboardFiles {
  readonly #read = new Map<string, Promise<File>>()

  sendPage(reply: Reply, known: string | undefined): Promise<Reply> {
    return this.send(reply, 'index.html', known)
  }

  async send(reply: Reply, name: string, known: string | undefined): Promise<Reply> {
    const type = TYPES[/^[A-Za-z0-9-]+\.([a-z]+)$/.exec(name)?.[1] ?? '']
    if (!type) throw notFound('file')
    const { bytes, etag } = await this.#file(name)
    reply.headers({ ...HEADERS, etag, 'cache-control': 'no-cache', 'content-type': type })
    return known === etag ? reply.code(304).send() : reply.send(bytes)
  }

  #file(name: string): Promise<File> {
    let file = this.#read.get(name)
    if (!file) {
      file = readFile(packageFile(`dist/web/dashboard/${name}`)).then(
        bytes => ({ bytes, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"` }),
        () => {
          this.#read.delete(name)
          throw notFound('file')
        },
      )
      this.#read.set(name, file)
    }
    return file
  }
}

export const files = new DashboardFiles()
