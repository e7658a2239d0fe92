import type { IncomingHttpHeaders } from 'node:http'

/** A request of HTTP/1.1 that is plain: GET or POST, small, and without anything that needs a rule to understand it. */
export interface PlainRequest {
  readonly method: string
  readonly url: string
  readonly header: PlainHeader
  /** Where its body begins and ends. */
  readonly bodyAt: number
  readonly end: number
}

/** The header of a request. Most clients send the same one again and again, so it is read once. */
export interface PlainHeader {
  readonly text: string
  readonly fields: IncomingHttpHeaders
  /** Names and values in turn, as they were sent. */
  readonly raw: readonly string[]
  readonly contentLength: number
}

/** The limits are far below those of Node, which answers all larger requests. */
const MOST_HEAD = 8 * 1024
const MOST_BODY = 64 * 1024
const MOST_FIELDS = 64

const REQUEST_LINE = /(GET|POST) (\/[!"$-~]*) HTTP\/1\.1\r\n/y
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const VALUE = /^[\t\x20-\x7e]*$/
const LENGTH = /^\d{1,6}$/

/** They change how a request is read or answered. */
const NOT_PLAIN = new Set([
  'expect',
  'http2-settings',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * The request at the start of these bytes. `unfinished`: only a part of its body is here. Undefined: it is not plain, or
 * its head is not here whole. `known` is the header of an earlier request.
 */
export function readPlainRequest(
  bytes: Buffer,
  known?: PlainHeader,
): PlainRequest | 'unfinished' | undefined {
  const text = bytes.toString('latin1', 0, MOST_HEAD)
  REQUEST_LINE.lastIndex = 0
  const [line, method, url] = REQUEST_LINE.exec(text) ?? []
  if (!line || !method || !url) return undefined
  const headerEnd = text.indexOf('\r\n\r\n', line.length - 2) + 2
  if (headerEnd === 1) return undefined
  const headerText = text.slice(line.length, headerEnd)
  const header = known?.text === headerText ? known : readHeader(headerText)
  if (!header || (method === 'GET' && header.contentLength > 0)) return undefined
  const bodyAt = headerEnd + 2
  const end = bodyAt + header.contentLength
  return end > bytes.length ? 'unfinished' : { method, url, header, bodyAt, end }
}

function readHeader(text: string): PlainHeader | undefined {
  const fields: IncomingHttpHeaders = {}
  const raw: string[] = []
  for (let at = 0; at < text.length; ) {
    const [colon, end] = [text.indexOf(':', at), text.indexOf('\r\n', at)]
    const name = text.slice(at, colon)
    const value = text.slice(colon + 1, end)
    if (colon < at || colon > end || !NAME.test(name) || !VALUE.test(value)) return undefined
    const field = name.toLowerCase()
    // Node has a rule for each field that may be repeated.
    if (Object.hasOwn(fields, field) || !isPlain(field, value.trimStart())) return undefined
    fields[field] = value.trim()
    raw.push(name, value.trim())
    at = end + 2
  }
  if (fields.host === undefined || raw.length > 2 * MOST_FIELDS) return undefined
  const contentLength = Number(fields['content-length'] ?? 0)
  // A copy, because a part of the text would keep all of it in memory.
  return { text: Buffer.from(text, 'latin1').toString('latin1'), fields, raw, contentLength }
}

/** With what follows the value: Node refuses a length with a tab behind it. */
function isPlain(field: string, value: string): boolean {
  if (field === 'connection') return value.toLowerCase() === 'keep-alive'
  if (field === 'content-length') return LENGTH.test(value) && Number(value) <= MOST_BODY
  return !NOT_PLAIN.has(field)
}
