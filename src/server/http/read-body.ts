import { isUtf8 } from 'node:buffer'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Contract } from '../../contract/decisions.ts'
import { invalid, type Rejection, rejection, renderError } from '../../contract/errors.ts'
import { isTooDeep, MOST_LEVELS } from '../../contract/json.ts'
import { LIMITS } from '../../contract/limits.ts'
import { RefusalError, refuse, refuseProblems } from '../refusal.ts'
import { Chunks, type Exchange } from './exchange.ts'
import { dateNow, type Reply } from './reply.ts'

/** Whether the call can be retried, here or by another process, because its body was not read or is kept. */
export const canBeReadAgain = (exchange: Exchange): boolean =>
  exchange.chunks !== undefined || !exchange.incoming.readableDidRead

/** The whole body, up to the limit. */
export const readBody = async (exchange: Exchange, cap?: number): Promise<Buffer> =>
  (await readPieces(exchange, () => {}, cap)).whole()

/**
 * The whole body, up to the limit; `take` is called with each chunk as it arrives. What is over the limit is read and
 * discarded, so that the refusal reaches the caller.
 */
export function readPieces(
  exchange: Exchange,
  take: (chunk: Buffer) => void,
  cap: number = LIMITS.body,
): Promise<Chunks> {
  demandUncoded(exchange)
  if (Number(exchange.headers['content-length'] ?? 0) > cap) throw tooLarge(cap)
  const kept = exchange.chunks
  if (kept) {
    kept.all.forEach(take)
    return Promise.resolve(kept)
  }
  const request = exchange.incoming
  return new Promise((resolve, reject) => {
    const chunks = new Chunks()
    let isTooLarge = false
    request.on('data', (chunk: Buffer) => {
      if (isTooLarge) return
      chunks.add(chunk)
      if (chunks.size > cap) {
        isTooLarge = true
        chunks.clear()
        reject(tooLarge(cap))
      } else take(chunk)
    })
    request.once('end', () => {
      if (isTooLarge) return
      exchange.chunks = chunks
      resolve(chunks)
    })
    request.once('error', () => reject(refuseProblems([{ field: 'body', message: 'ended too early' }])))
    request.once('close', () => {
      if (!request.complete) reject(refuseProblems([{ field: 'body', message: 'ended too early' }]))
    })
  })
}

const tooLarge = (cap: number) => refuse('payload_too_large', `The body is over ${cap} bytes`)

export type JsonObject = Record<string, unknown>

/** Accepts any parameters: the text is always read as UTF-8. */
const JSON_TYPE = /^application\/json\s*(;|$)/i

export const isJson = (contentType: string | undefined) =>
  contentType !== undefined && JSON_TYPE.test(contentType)
export const isMultipart = (contentType: string | undefined) =>
  /^multipart\/form-data\s*(;|$)/i.test(contentType ?? '')

export const unsupportedType = (wanted: string) =>
  refuse('unsupported_media_type', `Content-Type must be ${wanted}`)

/** Every body is read as it comes, so one that says that it is encoded is refused, even if it is not. */
export function demandUncoded({ headers }: Pick<Exchange, 'headers'>): void {
  if (headers['content-encoding'] === undefined) return
  throw refuse(
    'unsupported_media_type',
    'A body with a Content-Encoding is not supported: send it as it is, without this header',
  )
}

/** Node has answered `Expect: 100-continue`. There is nothing else that a client could expect. */
export function demandNoExpectation({ headers: { expect } }: Exchange, reply: Reply): void {
  if (expect === undefined || /^100-continue$/i.test(expect)) return
  // The client may wait before it sends its body, or may send it.
  reply.header('connection', 'close')
  const reason = invalid([{ field: 'Expect', message: 'must be 100-continue, or left out' }])
  throw new RefusalError({ ...reason, status: 417 })
}

/** A required JSON body. */
export async function readJson(exchange: Exchange, cap?: number): Promise<JsonObject> {
  if (!isJson(exchange.headers['content-type'])) throw unsupportedType('application/json')
  return parseObject(exchange, await readBody(exchange, cap))
}

/** An optional JSON body, with its Content-Type if `bare` is allowed. */
export async function readOptionalJson(exchange: Exchange, { bare }: { bare: boolean }): Promise<JsonObject> {
  const typed = isJson(exchange.headers['content-type'])
  const untyped = exchange.headers['content-type'] === undefined
  if (!typed && !(bare && untyped)) throw unsupportedType('application/json')
  const bytes = await readBody(exchange)
  if (bytes.length === 0) return {}
  if (!typed) throw unsupportedType('application/json')
  return parseObject(exchange, bytes)
}

export const badBody = (message: string) => refuseProblems([{ field: 'body', message }])

function parseObject(exchange: Exchange, bytes: Buffer): JsonObject {
  if (!isUtf8(bytes)) throw badBody('must be UTF-8')
  const text = bytes.toString()
  exchange.text = text
  const value = parseJson(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw badBody('must be a JSON object')
  return value as JsonObject
}

/** The value of a JSON text that a caller sent. */
export function parseJson(text: string): unknown {
  if (isTooDeep(text)) throw badBody(`must not be nested more than ${MOST_LEVELS} levels deep`)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw badBody('must be well-formed JSON')
  }
  if (/\\ud[89a-f]/i.test(text) && !isWellFormed(value)) throw badBody('must not contain a lone surrogate')
  return value
}

function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(([key, member]) => key.isWellFormed() && isWellFormed(member))
}

/** Why the bytes on a connection are no request. `CONNECT` is a request for a tunnel; the other codes are those of Node. */
export type ClientError = Error & { readonly code?: string }

export const LATE = 'ERR_HTTP_REQUEST_TIMEOUT'

const unread = (status: number, message: string): Rejection => ({
  ...invalid([{ field: 'request', message }]),
  status,
})

function reasonOf({ code }: ClientError): Rejection {
  switch (code) {
    case LATE:
      return unread(408, 'was not sent in time')
    case 'HPE_HEADER_OVERFLOW':
      return unread(431, 'has a head that is too large')
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return rejection('payload_too_large', 'The chunks of the body have extensions that are too long')
    case 'CONNECT':
      return rejection('method_not_allowed', 'CONNECT is not allowed: this server is no proxy')
    default:
      return unread(400, 'is not well-formed HTTP')
  }
}

/** Answers what no handler can answer, because it is not a whole request, and ends the connection. */
export function refuseUnread(
  contract: Contract,
  requestId: string,
  error: ClientError,
  socket: Duplex,
): void {
  const { status, body, contentType } = renderError(contract, reasonOf(error), requestId)
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    `request-id: ${requestId}`,
    'cache-control: no-store',
    'x-content-type-options: nosniff',
    ...(status === 405 ? [`allow: ${ALLOWED}`] : []),
    `content-type: ${contentType}`,
    `content-length: ${Buffer.byteLength(body)}`,
    `date: ${dateNow()}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}

/** The methods of this server. Each path has some of them. */
const ALLOWED = 'GET, HEAD, POST, PUT, PATCH, DELETE'
