import type {
  HttpMessage,
  LoggedRequest,
  RequestDetail,
  RequestRecord,
} from '../../contract/control/journal.ts'
import { readRefusal } from '../../contract/errors.ts'
import { redact, urlWithoutSecrets, withoutSecrets } from '../../contract/redact.ts'
import { formatTimestamp } from '../../contract/timestamps.ts'
import type { AnsweredRequest } from '../../domain/why/request.ts'
import type { AccountRuntime } from '../../engine/account/open-runtime.ts'
import type { Reply } from '../http/reply.ts'
import type { Request } from '../http/request.ts'

/** `answered` is the request with why it was answered so, for those who ask. */
type RequestListener = (record: RequestRecord, answered: () => AnsweredRequest) => void

interface Kept {
  readonly record: RequestRecord
  readonly wall: number
  readonly arrival: Request['arrival']
  readonly disturbed: Request['disturbed']
}

/** A request, with its position in the journal. */
export interface RequestAbout extends LoggedRequest {
  /** When it arrived, in account time and in wall time. */
  readonly cameAt: number
  readonly cameWall: number
  /** The last journal entry before it. */
  readonly after: number
}

interface Total {
  readonly labels: { readonly account: string; readonly method: string; readonly status: string }
  value: number
}

/** Something that is kept in memory, and its limit. */
export interface KeptBytes {
  readonly what: string
  readonly bytes: number
  readonly most: number
}

const KEPT = 500
/** The limit for all accounts together. */
const MOST_BYTES = 64 * 1024 * 1024

/** What is kept of one account: a ring, so that adding a request always costs the same. */
interface Ring {
  readonly records: Kept[]
  next: number
  bytes: number
}

function recordOf(request: Request, { statusCode }: Reply, wall: number): RequestRecord {
  const { runtime, method, url, startedAt, requestId, ignored } = request
  return {
    at: formatTimestamp(runtime?.account.now ?? wall),
    account: runtime?.account.id ?? null,
    method,
    path: urlWithoutSecrets(url),
    status: statusCode,
    ms: Math.round((performance.now() - startedAt) * 1000) / 1000,
    request_id: requestId,
    ignored: ignored.length === 0 ? ignored : ignored.map(withoutSecrets),
  }
}

/** `body` is that of its answer; null if it is not kept. */
function answeredRequest(
  { request_id, method, path, status, at, ignored }: RequestRecord,
  { body, fault }: { readonly body: string | null; readonly fault: AnsweredRequest['fault'] },
): AnsweredRequest {
  const refusal = status < 400 ? undefined : readRefusal(body ?? '')
  const known = { id: request_id, method, path, status, at, ignored, fault, isKept: body !== null }
  return { ...known, code: refusal?.code ?? null, message: refusal?.message || null }
}

const loggedRequest = ({ record, wall, disturbed }: Kept): LoggedRequest => ({
  ...record,
  wall_at: formatTimestamp(wall),
  fault: disturbed && { type: disturbed.type, name: disturbed.name, carried_out: disturbed.carriedOut },
})

/** A character may take two bytes. */
const sizeOf = ({ record: { path, ignored } }: Kept) =>
  512 + 2 * ignored.reduce((length, name) => length + name.length, path.length)

/** The last requests of each account, and the listeners for new ones. */
export class RequestLog {
  /** The kept requests by account, in the order in which the accounts were last called. */
  readonly #kept = new Map<string, Ring>()
  #lastCalled: string | undefined
  #bytes = 0
  readonly #exchanges = new Exchanges()
  readonly #listeners = new Set<RequestListener>()
  readonly #totals = new Map<string, Total>()
  /** The count that was raised last. The next request usually raises the same one. */
  #lastCounted: { readonly record: RequestRecord; readonly total: Total } | undefined

  /** Notes a request with its answer, which was sent just now. */
  record(request: Request, reply: Reply): void {
    const wall = Date.now()
    const record = recordOf(request, reply, wall)
    if (record.account !== null) {
      this.#keep(record.account, { record, wall, arrival: request.arrival, disturbed: request.disturbed })
      this.#exchanges.keep(request, reply)
    }
    this.#count(record)
    if (request.watching || this.#listeners.size === 0) return
    const body = typeof reply.payload === 'string' ? reply.payload : null
    const answered = () => answeredRequest(record, { body, fault: request.disturbed })
    for (const listener of this.#listeners) listener(record, answered)
  }

  #keep(account: string, kept: Kept): void {
    const ring = this.#kept.get(account) ?? { records: [], next: 0, bytes: 0 }
    if (account !== this.#lastCalled) {
      this.#kept.delete(account)
      this.#kept.set(account, ring)
      this.#lastCalled = account
    }
    const before = ring.records[ring.next]
    ring.records[ring.next] = kept
    ring.next = (ring.next + 1) % KEPT
    const more = sizeOf(kept) - (before ? sizeOf(before) : 0)
    ring.bytes += more
    this.#bytes += more
    if (this.#bytes > MOST_BYTES) this.#forgetLongestAgo()
  }

  /** Forgets the requests of the accounts that were called longest ago. */
  #forgetLongestAgo(): void {
    for (const account of this.#kept.keys()) {
      if (this.#bytes <= MOST_BYTES || account === this.#lastCalled) return
      this.forget(account)
    }
  }

  #count(record: RequestRecord): void {
    const { account, method, status } = record
    const last = this.#lastCounted
    if (
      last &&
      last.record.status === status &&
      last.record.method === method &&
      last.record.account === account
    ) {
      last.total.value += 1
      return
    }
    const key = `${account} ${method} ${status}`
    let total = this.#totals.get(key)
    if (!total) {
      total = { labels: { account: account ?? '', method, status: String(status) }, value: 0 }
      this.#totals.set(key, total)
    }
    total.value += 1
    this.#lastCounted = { record, total }
  }

  /** How many requests were answered, by account, method and status. */
  totals() {
    return [...this.#totals.values()]
  }

  /** Newest first; with a text, those whose path, id or bodies contain it. */
  of(runtime: AccountRuntime, text?: string): LoggedRequest[] {
    const all = this.#all(runtime).reverse()
    if (text === undefined) return all.map(loggedRequest)
    const wanted = text.toLowerCase()
    const mentioned = this.#exchanges.withBody(wanted, all)
    return all
      .filter(
        ({ record: { path, request_id } }) =>
          mentioned.has(request_id) ||
          path.toLowerCase().includes(wanted) ||
          request_id.toLowerCase().includes(wanted),
      )
      .map(loggedRequest)
  }

  /** The requests whose path names a record, and the one that created it, oldest first. */
  about(runtime: AccountRuntime, id: string): RequestAbout[] {
    const all = this.#all(runtime)
    const changing = all.filter(({ record }) => record.method === 'POST')
    const mentioned = this.#exchanges.withBody(id.toLowerCase(), changing)
    return all.flatMap(kept => {
      const { record, wall, arrival } = kept
      const isAbout = record.path.includes(id) || mentioned.has(record.request_id)
      if (!arrival || !isAbout) return []
      const came = { cameAt: arrival.at, cameWall: wall - record.ms, after: arrival.seq }
      return [{ ...loggedRequest(kept), ...came }]
    })
  }

  #all({ account }: AccountRuntime): Kept[] {
    const ring = this.#kept.get(account.id)
    return ring ? [...ring.records.slice(ring.next), ...ring.records.slice(0, ring.next)] : []
  }

  /** One request with headers and bodies, if they are still stored. */
  find(runtime: AccountRuntime, requestId: string): RequestDetail | undefined {
    const kept = this.#all(runtime).find(({ record }) => record.request_id === requestId)
    return kept && { ...loggedRequest(kept), ...this.#exchanges.detail(requestId) }
  }

  /** One request as it was answered, to say why. */
  answered(runtime: AccountRuntime, requestId: string): AnsweredRequest | undefined {
    const kept = this.#all(runtime).find(({ record }) => record.request_id === requestId)
    if (!kept) return undefined
    const { response } = this.#exchanges.detail(requestId)
    const body = response && (response.body ?? '')
    return answeredRequest(kept.record, { body, fault: kept.disturbed })
  }

  /** Its merchant was removed, and its counts with it. */
  removed(account: string): void {
    this.forget(account)
    for (const [key, { labels }] of this.#totals) if (labels.account === account) this.#totals.delete(key)
    if (this.#lastCounted?.record.account === account) this.#lastCounted = undefined
  }

  forget(account: string): void {
    this.#bytes -= this.#kept.get(account)?.bytes ?? 0
    this.#kept.delete(account)
    if (account === this.#lastCalled) this.#lastCalled = undefined
  }

  /** The sizes of everything that is limited in bytes. */
  get sizes(): readonly KeptBytes[] {
    return [
      { what: 'requests', bytes: this.#bytes, most: MOST_BYTES },
      { what: 'bodies', bytes: this.#exchanges.bytes, most: Exchanges.mostBytes },
    ]
  }

  onRequest(listener: RequestListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

const RING_BYTES = 16 * 1024 * 1024
const FIRST_BYTES = 256 * 1024

/** Where a text is: its first byte, counted from the first byte ever stored, and its length. */
export interface Piece {
  readonly start: number
  readonly length: number
}

/**
 * The latest texts, as bytes outside the heap: a new text overwrites the oldest ones. Kept as strings, they would survive
 * several garbage collections, each of which copies them: that took more than a third of the time of a page of
 * payouts.
 */
export class ByteRing {
  static readonly most = RING_BYTES
  #ring: Buffer | undefined
  /** Counted like the start of a piece. */
  #end = 0

  /** How much memory it has. */
  get bytes(): number {
    return this.#ring?.length ?? 0
  }

  /** A text of at most `MOST_BYTES`. */
  add(text: string): Piece {
    const length = Buffer.byteLength(text)
    const ring = this.#roomFor(length)
    const rest = ring.length - (this.#end % ring.length)
    const start = length <= rest ? this.#end : this.#end + rest
    ring.write(text, start % ring.length, length)
    this.#end = start + length
    return { start, length }
  }

  /** Doubles until it has its full size, before which nothing is overwritten. */
  #roomFor(length: number): Buffer {
    let ring = this.#ring ?? Buffer.alloc(FIRST_BYTES)
    while (ring.length < RING_BYTES && this.#end + length > ring.length) {
      const larger = Buffer.alloc(2 * ring.length)
      ring.copy(larger)
      ring = larger
    }
    this.#ring = ring
    return ring
  }

  /** Whether nothing has overwritten it. */
  holds({ start }: Piece): boolean {
    return start >= this.#end - this.bytes
  }

  read({ start, length }: Piece): string {
    const ring = this.#ring ?? Buffer.alloc(0)
    const from = start % ring.length
    return ring.toString('utf8', from, from + length)
  }
}

/** One request with its response; null if it is no longer stored. */
type ExchangeDetail = Pick<RequestDetail, 'request' | 'response'>

/** The limits for all accounts together, so that a thousand accounts need no more memory than one. */
const EXCHANGES_KEPT = 1000
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
class Exchanges {
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
      sent: this.#store(request.exchange.text),
      answerType: reply.contentType,
      answered: this.#store(reply.payload),
      whole: !reply.hijacked,
    }
    this.#next = (this.#next + 1) % EXCHANGES_KEPT
  }

  #store(body: unknown): Body {
    if (typeof body !== 'string') return undefined
    const truncated = body.length > MOST_CHARACTERS
    const stored = this.#bodies.add(truncated ? body.slice(0, MOST_CHARACTERS) : body)
    return { stored, size: truncated ? Buffer.byteLength(body) : stored.length, truncated }
  }

  /** Of some requests, those with a body that is still stored and contains a text in lower case. */
  withBody(text: string, of: readonly Kept[]): ReadonlySet<string> {
    const wanted = new Set(of.map(({ record }) => record.request_id))
    const holds = (body: Body) =>
      body !== undefined &&
      this.#bodies.holds(body.stored) &&
      this.#bodies.read(body.stored).toLowerCase().includes(text) &&
      // A text that only a secret contains is not found.
      redact(this.#bodies.read(body.stored)).toLowerCase().includes(text)
    return new Set(
      this.#exchanges.flatMap(({ requestId, sent, answered }) =>
        wanted.has(requestId) && (holds(sent) || holds(answered)) ? [requestId] : [],
      ),
    )
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
