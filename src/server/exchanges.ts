import type { HttpMessage, RequestDetail } from '../contract/control/journal.ts'
import { redact, withoutSecrets } from '../contract/redact.ts'
import { ByteRing, type Piece } from './byte-ring.ts'
import type { Reply } from './http/reply.ts'
import type { Request } from './http/request.ts'

/** One request with its response; null if it is no longer stored. */
type ExchangeDetail = Pick<RequestDetail, 'request' | 'response'>

/** The limits for all accounts together, so that a thousand accounts need no more memory than one. */
const KEPT = 1000
/** The limit for the stored part of one body. */
const MOST_CHARACTERS = 16 * 1024

interface StoredExchange {
  readonly requestId: string
  readonly contentType: string | undefined
  readonly idempotencyKey: string | string[] | undefined
  readonly sent: Body
  readonly answerType: string | undefined
  readonly answered: Body
  readonly whole: boolean
}

/** A body, or the start of a long one. Undefined if it was not text. */
type Body = { readonly stored: Piece; readonly size: number; readonly truncated: boolean } | undefined

/**
 * The latest request and response bodies. They are stored as they are; secrets are removed when somebody reads them.
 */
export class Exchanges {
  static readonly mostBytes = ByteRing.most
  /** The next one replaces the oldest. */
  readonly #exchanges: StoredExchange[] = []
  #next = 0
  readonly #bodies = new ByteRing()

  get bytes(): number {
    return this.#bodies.bytes
  }

  keep(request: Request, reply: Reply): void {
    const { headers } = request
    this.#exchanges[this.#next] = {
      requestId: request.requestId,
      contentType: headers['content-type'],
      idempotencyKey: headers['idempotency-key'],
      sent: this.#store(request.carrier.text),
      answerType: reply.contentType,
      answered: this.#store(reply.payload),
      whole: !reply.hijacked,
    }
    this.#next = (this.#next + 1) % KEPT
  }

  #store(body: unknown): Body {
    if (typeof body !== 'string') return undefined
    const truncated = body.length > MOST_CHARACTERS
    const stored = this.#bodies.add(truncated ? body.slice(0, MOST_CHARACTERS) : body)
    return { stored, size: truncated ? Buffer.byteLength(body) : stored.length, truncated }
  }

  detail(requestId: string): ExchangeDetail {
    const kept = this.#exchanges.find(exchange => exchange.requestId === requestId)
    if (!kept) return { request: null, response: null }
    const { contentType, idempotencyKey, sent, answerType, answered, whole } = kept
    if (!this.#holds(sent) || !this.#holds(answered)) return { request: null, response: null }
    const headers = given({ 'content-type': contentType, 'idempotency-key': idempotencyKey })
    const response = this.#message(answered, given({ 'content-type': answerType }))
    return { request: this.#message(sent, headers), response: { ...response, whole } }
  }

  #holds(body: Body): boolean {
    return body === undefined || this.#bodies.holds(body.stored)
  }

  #message(body: Body, headers: HttpMessage['headers']): HttpMessage {
    if (!body || body.size === 0) return { headers, body: null, size: 0, truncated: false }
    const { stored, size, truncated } = body
    return { headers, body: redact(this.#bodies.read(stored)), size, truncated }
  }
}

const given = (headers: Record<string, unknown>): HttpMessage['headers'] =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value ? [[name, withoutSecrets(String(value))]] : [],
    ),
  )
