import type { Reply } from './http/reply.ts'
import type { Request } from './http/request.ts'
import { bodyOf } from './read-body.ts'
import { redact } from './redact.ts'

/** A request and its answer as they leave, with the wall's time. */
export interface Exchange {
  readonly wall: number
  readonly request: Request
  readonly reply: Reply
}

/** What was said in one exchange; null where that is no longer kept. */
export interface ExchangeDetail {
  readonly request: Said | null
  /** `whole` is false where a fault broke it off, or sent nothing of it. */
  readonly response: (Said & { readonly whole: boolean }) | null
}

interface Said {
  readonly headers: Readonly<Record<string, string>>
  /** Null where there was none, or none that is text. */
  readonly body: string | null
  readonly size: number
  readonly truncated: boolean
}

/** Of all accounts together, so that a thousand of them cost no more than one. */
const KEPT = 1000
/** Of one body. */
const MOST_BYTES = 16 * 1024

interface Kept {
  readonly requestId: string
  readonly contentType: string | undefined
  readonly idempotencyKey: string | undefined
  readonly sent: Body | undefined
  readonly answerType: string | undefined
  readonly answered: Body | undefined
  readonly whole: boolean
}

type Body = string | Buffer | { readonly start: Buffer; readonly size: number }

/**
 * The last bodies that came and went. Keeping one is keeping a reference: what may be shown of it is found out when
 * somebody asks.
 */
export class Exchanges {
  readonly #ring: Kept[] = []
  #next = 0

  keep({ request, reply }: Exchange): void {
    const { headers } = request
    const key = headers['idempotency-key']
    this.#ring[this.#next] = {
      requestId: request.requestId,
      contentType: headers['content-type'],
      idempotencyKey: typeof key === 'string' ? key : undefined,
      sent: startOf(bodyOf(request.raw)),
      answerType: reply.contentType,
      answered: startOf(reply.payload),
      whole: !reply.hijacked,
    }
    this.#next = (this.#next + 1) % KEPT
  }

  detail(requestId: string): ExchangeDetail {
    const kept = this.#ring.find(exchange => exchange.requestId === requestId)
    if (!kept) return { request: null, response: null }
    const { contentType, idempotencyKey, sent, answerType, answered, whole } = kept
    const headers = {
      ...(contentType === undefined ? {} : { 'content-type': contentType }),
      ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
    }
    const answerHeaders: Said['headers'] = answerType === undefined ? {} : { 'content-type': answerType }
    return { request: said(sent, headers), response: { ...said(answered, answerHeaders), whole } }
  }
}

/** A long one is copied as far as it is kept: the rest of it should not stay because of that. */
function startOf(body: unknown): Body | undefined {
  if (typeof body !== 'string' && !Buffer.isBuffer(body)) return undefined
  if (body.length <= MOST_BYTES) return body
  const start =
    typeof body === 'string' ? Buffer.from(body.slice(0, MOST_BYTES)) : body.subarray(0, MOST_BYTES)
  return { start: Buffer.from(start), size: Buffer.byteLength(body) }
}

function said(body: Body | undefined, headers: Said['headers']): Said {
  if (body === undefined) return { headers, body: null, size: 0, truncated: false }
  const truncated = typeof body !== 'string' && 'start' in body
  const size = truncated ? body.size : Buffer.byteLength(body)
  const isText = /json|text|urlencoded/.test(headers['content-type'] ?? '')
  if (!isText || size === 0) return { headers, body: null, size, truncated: false }
  return { headers, body: redact(String(truncated ? body.start : body)), size, truncated }
}
