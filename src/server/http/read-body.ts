import { isUtf8 } from 'node:buffer'
import { invalid } from '../../contract/errors.ts'
import { LIMITS } from '../../contract/limits.ts'
import { isTooDeep, MOST_LEVELS } from '../../contract/validation.ts'
import { Pieces } from '../pieces.ts'
import { RefusalError, refuse, refuseProblems } from '../refusal.ts'
import type { Carrier } from './carrier.ts'
import type { Reply } from './reply.ts'

/** Whether the call can be answered from its start: by this process once more, or by another one. */
export const canBeReadAgain = (carrier: Carrier): boolean =>
  carrier.pieces !== undefined || !carrier.incoming.readableDidRead

/** The whole body, up to the limit. */
export const readBody = async (carrier: Carrier, cap?: number): Promise<Buffer> =>
  (await readPieces(carrier, () => {}, cap)).whole()

/**
 * The whole body, up to the limit; `take` is called with each piece as it arrives. What is over the limit is read and
 * discarded, so that the refusal reaches the caller.
 */
export function readPieces(
  carrier: Carrier,
  take: (piece: Buffer) => void,
  cap: number = LIMITS.body,
): Promise<Pieces> {
  demandUncoded(carrier)
  if (Number(carrier.headers['content-length'] ?? 0) > cap) throw tooLarge(cap)
  const kept = carrier.pieces
  if (kept) {
    kept.all.forEach(take)
    return Promise.resolve(kept)
  }
  const request = carrier.incoming
  return new Promise((resolve, reject) => {
    const pieces = new Pieces()
    let isTooLarge = false
    request.on('data', (piece: Buffer) => {
      if (isTooLarge) return
      pieces.add(piece)
      if (pieces.size > cap) {
        isTooLarge = true
        pieces.clear()
        reject(tooLarge(cap))
      } else take(piece)
    })
    request.once('end', () => {
      if (isTooLarge) return
      carrier.pieces = pieces
      resolve(pieces)
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
export function demandUncoded({ headers }: Pick<Carrier, 'headers'>): void {
  if (headers['content-encoding'] === undefined) return
  throw refuse(
    'unsupported_media_type',
    'A body with a Content-Encoding is not supported: send it as it is, without this header',
  )
}

/** Node has answered `Expect: 100-continue`. There is nothing else that a client could expect. */
export function demandNoExpectation({ headers: { expect } }: Carrier, reply: Reply): void {
  if (expect === undefined || /^100-continue$/i.test(expect)) return
  // The client may wait before it sends its body, or may send it.
  reply.header('connection', 'close')
  const reason = invalid([{ field: 'Expect', message: 'must be 100-continue, or left out' }])
  throw new RefusalError({ ...reason, status: 417 })
}

/** A required JSON body. */
export async function readJson(carrier: Carrier, cap?: number): Promise<JsonObject> {
  if (!isJson(carrier.headers['content-type'])) throw unsupportedType('application/json')
  return parseObject(carrier, await readBody(carrier, cap))
}

/** An optional JSON body, with its Content-Type if `bare` is allowed. */
export async function readOptionalJson(carrier: Carrier, { bare }: { bare: boolean }): Promise<JsonObject> {
  const typed = isJson(carrier.headers['content-type'])
  const untyped = carrier.headers['content-type'] === undefined
  if (!typed && !(bare && untyped)) throw unsupportedType('application/json')
  const bytes = await readBody(carrier)
  if (bytes.length === 0) return {}
  if (!typed) throw unsupportedType('application/json')
  return parseObject(carrier, bytes)
}

export const badBody = (message: string) => refuseProblems([{ field: 'body', message }])

function parseObject(carrier: Carrier, bytes: Buffer): JsonObject {
  if (!isUtf8(bytes)) throw badBody('must be UTF-8')
  const text = bytes.toString()
  carrier.text = text
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
