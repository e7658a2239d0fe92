import type { HttpMessage, RequestDetail } from '../contract/control/journal.ts'
import { redact, withoutSecrets } from '../contract/redact.ts'
import type { Reply } from './http/reply.ts'
import type { Request } from './http/request.ts'
import { bodyOf } from './read-body.ts'

/** One request with its response; null if it is no longer stored. */
type ExchangeDetail = Pick<RequestDetail, 'request' | 'response'>

/** The limits for all accounts together, so that a thousand accounts need no more memory than one. */
const KEPT = 1000
const MOST_BYTES = 16 * 1024 * 1024
/** The limit for one body. */
const MOST_CHARACTERS = 16 * 1024

interface Exchange {
  readonly requestId: string
  readonly contentType: string | undefined
  readonly idempotencyKey: string | string[] | undefined
  readonly sent: Body
  readonly answerType: string | undefined
  readonly answered: Body
  readonly whole: boolean
}

/** Undefined if it was not text. */
type Body = string | { readonly start: string; readonly size: number } | undefined

/**
 * The latest request and response bodies. They are stored as they are; secrets are removed when somebody reads them.
 */
export class Exchanges {
  static readonly mostBytes = MOST_BYTES
  /** A ring: the oldest is at `#first`. */
  readonly #ring: (Exchange | undefined)[] = []
  #first = 0
  #count = 0
  #bytes = 0

  get bytes(): number {
    return this.#bytes
  }

  keep(request: Request, reply: Reply): void {
    const { headers } = request
    const exchange = {
      requestId: request.requestId,
      contentType: headers['content-type'],
      idempotencyKey: headers['idempotency-key'],
      sent: startOf(bodyOf(request.raw)),
      answerType: reply.contentType,
      answered: startOf(reply.payload),
      whole: !reply.hijacked,
    }
    const bytes = sizeOf(exchange)
    while (this.#count > 0 && (this.#count === KEPT || this.#bytes + bytes > MOST_BYTES)) this.#forgetOldest()
    this.#ring[(this.#first + this.#count) % KEPT] = exchange
    this.#count++
    this.#bytes += bytes
  }

  #forgetOldest(): void {
    const oldest = this.#ring[this.#first]
    this.#ring[this.#first] = undefined
    this.#first = (this.#first + 1) % KEPT
    this.#count--
    if (oldest) this.#bytes -= sizeOf(oldest)
  }

  detail(requestId: string): ExchangeDetail {
    const kept = this.#ring.find(exchange => exchange?.requestId === requestId)
    if (!kept) return { request: null, response: null }
    const { contentType, idempotencyKey, sent, answerType, answered, whole } = kept
    const headers = given({ 'content-type': contentType, 'idempotency-key': idempotencyKey })
    const response = messageOf(answered, given({ 'content-type': answerType }))
    return { request: messageOf(sent, headers), response: { ...response, whole } }
  }
}

/** A character may take two bytes. */
const sizeOf = ({ sent, answered, contentType = '', idempotencyKey = '' }: Exchange) =>
  512 + 2 * (lengthOf(sent) + lengthOf(answered) + contentType.length + String(idempotencyKey).length)

const lengthOf = (body: Body) => (typeof body === 'string' ? body.length : (body?.start.length ?? 0))

/** Copies the stored part of a long body, so that the rest can be freed. */
function startOf(body: unknown): Body {
  if (typeof body !== 'string') return undefined
  if (body.length <= MOST_CHARACTERS) return body
  return { start: Buffer.from(body.slice(0, MOST_CHARACTERS)).toString(), size: Buffer.byteLength(body) }
}

const given = (headers: Record<string, unknown>): HttpMessage['headers'] =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value ? [[name, withoutSecrets(String(value))]] : [],
    ),
  )

function messageOf(body: Body, headers: HttpMessage['headers']): HttpMessage {
  if (!body) return { headers, body: null, size: 0, truncated: false }
  if (typeof body === 'string')
    return { headers, body: redact(body), size: Buffer.byteLength(body), truncated: false }
  return { headers, body: redact(body.start), size: body.size, truncated: true }
}
