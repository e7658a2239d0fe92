import type {
  HttpMessage,
  LoggedRequest,
  RequestDetail,
  RequestRecord,
} from '../../contract/control/journal.ts'
import { readRefusal } from '../../contract/errors.ts'
import { PROBE_AGENT } from '../../contract/paths.ts'
import { redact, urlWithoutSecrets, withoutSecrets } from '../../contract/redact.ts'
import { formatTimestamp } from '../../contract/timestamps.ts'
import type { AnsweredRequest } from '../../domain/why/request.ts'
import type { AccountRuntime } from '../../engine/account/open-runtime.ts'
import type { Reply } from '../http/reply.ts'
import type { Request } from '../http/request.ts'

/** `answered` is the request with why it was answered so, for those who ask. */
type RequestListener = (record: RequestRecord, answered: () => AnsweredRequest) => void

/** A request with what is kept of its bodies, which may be gone earlier than it. */
interface Kept {
  readonly record: RequestRecord
  /** Its number among all requests, in the order in which they were answered. */
  readonly nth: number
  readonly wall: number
  readonly arrival: Request['arrival']
  readonly disturbed: Request['disturbed']
  readonly refusal: LoggedRequest['error']
  readonly contentType: string | undefined
  readonly idempotencyKey: string | string[] | undefined
  readonly sent: Body
  readonly answerType: string | undefined
  readonly answered: Body
  readonly whole: boolean
}

/** A body, or the start of a long one. Undefined if it was not text. */
type Body = { readonly stored: Piece; readonly size: number; readonly truncated: boolean } | undefined

/** A request as its caller sent it. The body is null if there was none, or if it was not text. */
export interface SentRequest {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
  /** Whether the body is the whole one. */
  readonly whole: boolean
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

/** Of each account, so many of those that were refused, and so many of the others. */
const KEPT = 500
/** The limits for all accounts together. */
const MOST_BYTES = 64 * 1024 * 1024
const MOST_BODY_BYTES = 16 * 1024 * 1024
/** The limit for the stored part of one body. */
const MOST_CHARACTERS = 16 * 1024
/** The limit for the message of a refusal, which a fault can make as long as it likes. */
const LONGEST_MESSAGE = 500

/** What is kept of an account. What it was refused is kept apart, so that no other calls crowd it out. */
interface AccountLog {
  readonly refused: Ring
  readonly others: Ring
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

function refusalOf({ statusCode, payload }: Reply): LoggedRequest['error'] {
  if (statusCode < 400 || typeof payload !== 'string') return null
  const refusal = readRefusal(payload)
  return refusal ? { ...refusal, message: refusal.message.slice(0, LONGEST_MESSAGE) } : null
}

const answeredRequest = (
  { request_id, method, path, status, at, ignored }: RequestRecord,
  refusal: LoggedRequest['error'],
  fault: AnsweredRequest['fault'],
): AnsweredRequest => ({
  ...{ id: request_id, method, path, status, at, ignored, fault },
  code: refusal?.code ?? null,
  message: refusal?.message || null,
})

const loggedRequest = (
  { record, wall, disturbed, refusal }: Kept,
  reference: string | null,
): LoggedRequest => ({
  ...record,
  wall_at: formatTimestamp(wall),
  reference,
  error: refusal,
  fault: disturbed && { type: disturbed.type, name: disturbed.name, carried_out: disturbed.carriedOut },
})

/** A character may take two bytes. */
const sizeOf = ({ record: { path, ignored }, refusal }: Kept) =>
  640 +
  2 * ignored.reduce((length, name) => length + name.length, path.length + (refusal?.message.length ?? 0))

/** The last requests of each account, and the listeners for new ones. */
export class RequestLog {
  /** By account, in the order in which the accounts were last called. */
  readonly #kept = new Map<string, AccountLog>()
  #lastCalled: string | undefined
  #bytes = 0
  #bodyBytes = 0
  #nth = 0
  readonly #listeners = new Set<RequestListener>()
  readonly #totals = new Map<string, Total>()
  /** The count that was raised last. The next request usually raises the same one. */
  #lastCounted: { readonly record: RequestRecord; readonly total: Total } | undefined

  /** Notes a request with its answer, which was sent just now. */
  record(request: Request, reply: Reply): void {
    const wall = Date.now()
    const record = recordOf(request, reply, wall)
    const refusal = refusalOf(reply)
    // What paysim itself asks is no call of the merchant's program, and its refusals are none that anybody must mend.
    const isProbe = request.headers['user-agent'] === PROBE_AGENT
    if (record.account !== null && !isProbe)
      this.#keep(record.account, { record, wall, refusal }, request, reply)
    this.#count(record)
    if (request.watching || this.#listeners.size === 0) return
    const answered = () => answeredRequest(record, refusal, request.disturbed)
    for (const listener of this.#listeners) listener(record, answered)
  }

  #keep(
    account: string,
    { record, wall, refusal }: Pick<Kept, 'record' | 'wall' | 'refusal'>,
    request: Request,
    reply: Reply,
  ): void {
    const log = this.#kept.get(account) ?? { refused: new Ring(), others: new Ring(), bytes: 0 }
    if (account !== this.#lastCalled) {
      this.#kept.delete(account)
      this.#kept.set(account, log)
      this.#lastCalled = account
    }
    const ring = record.status >= 400 ? log.refused : log.others
    const { texts } = ring
    const bodiesBefore = texts.bytes
    const { headers, arrival, disturbed } = request
    // Written out, because to spread what is known took half of the processor time of a GET.
    const more = ring.add({
      record,
      wall,
      refusal,
      nth: this.#nth++,
      arrival,
      disturbed,
      contentType: headers['content-type'],
      idempotencyKey: headers['idempotency-key'],
      sent: store(texts, request.exchange.text),
      answerType: reply.contentType,
      answered: store(texts, reply.payload),
      whole: !reply.hijacked,
    })
    log.bytes += more
    this.#bytes += more
    if (this.#bytes > MOST_BYTES) this.#forgetLongestAgo()
    this.#bodyBytes += texts.bytes - bodiesBefore
    while (this.#bodyBytes > MOST_BODY_BYTES) this.#shortenLongest()
  }

  /** Forgets the requests of the accounts that were called longest ago. */
  #forgetLongestAgo(): void {
    for (const account of this.#kept.keys()) {
      if (this.#bytes <= MOST_BYTES || account === this.#lastCalled) return
      this.forget(account)
    }
  }

  /** Who has the most gives up its oldest, so the load of one account costs no other account its bodies. */
  #shortenLongest(): void {
    let most = new KeptTexts()
    for (const { refused, others } of this.#kept.values())
      for (const { texts } of [others, refused]) if (texts.bytes > most.bytes) most = texts
    this.#bodyBytes -= most.giveUpOldest()
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

  /** Newest first; with a text, those whose path, id, reference or bodies contain it. */
  of(runtime: AccountRuntime, text?: string): LoggedRequest[] {
    const all = this.#all(runtime).reverse()
    const shown = (kept: Kept) => loggedRequest(kept, referenceOf(kept, runtime))
    if (text === undefined) return all.map(shown)
    const wanted = text.toLowerCase()
    const has = (told: string | null) => told?.toLowerCase().includes(wanted) === true
    return all.flatMap(kept => {
      const told = shown(kept)
      const isIt = has(told.path) || has(told.request_id) || has(told.reference)
      return isIt || isMentioned(wanted, kept) ? [told] : []
    })
  }

  /** The requests whose path names a record, and the one that created it, oldest first. */
  about(runtime: AccountRuntime, id: string): RequestAbout[] {
    return this.#all(runtime).flatMap(kept => {
      const { record, wall, arrival } = kept
      const isAbout =
        record.path.includes(id) || (record.method === 'POST' && isMentioned(id.toLowerCase(), kept))
      if (!arrival || !isAbout) return []
      const came = { cameAt: arrival.at, cameWall: wall - record.ms, after: arrival.seq }
      return [{ ...loggedRequest(kept, referenceOf(kept, runtime)), ...came }]
    })
  }

  /** Oldest first. */
  #all({ account }: AccountRuntime): Kept[] {
    const log = this.#kept.get(account.id)
    if (!log) return []
    return [...log.refused.all, ...log.others.all].sort((a, b) => a.nth - b.nth)
  }

  #find(runtime: AccountRuntime, requestId: string): Kept | undefined {
    return this.#all(runtime).find(({ record }) => record.request_id === requestId)
  }

  /** One request with headers and bodies, if they are still stored. */
  find(runtime: AccountRuntime, requestId: string): RequestDetail | undefined {
    const kept = this.#find(runtime, requestId)
    if (!kept) return undefined
    const logged = loggedRequest(kept, referenceOf(kept, runtime))
    const { sent, answered, answerType, whole } = kept
    if (!isStored(sent) || !isStored(answered)) return { ...logged, request: null, response: null }
    const response = messageOf(answered, given({ 'content-type': answerType }))
    return { ...logged, request: messageOf(sent, sentHeaders(kept)), response: { ...response, whole } }
  }

  /** One request as it was answered, to say why. */
  answered(runtime: AccountRuntime, requestId: string): AnsweredRequest | undefined {
    const kept = this.#find(runtime, requestId)
    return kept && answeredRequest(kept.record, kept.refusal, kept.disturbed)
  }

  /** One request as it came, to send it again: with what is masked where it is shown. Undefined if it is not stored. */
  sent(runtime: AccountRuntime, requestId: string): SentRequest | undefined {
    const kept = this.#find(runtime, requestId)
    if (!kept || !isStored(kept.sent)) return undefined
    const { record, sent } = kept
    const body = sent ? read(sent.stored) : null
    const headers = sentHeaders(kept, String)
    return { method: record.method, path: record.path, headers, body, whole: sent?.truncated !== true }
  }

  /** Its merchant was removed, and its counts with it. */
  removed(account: string): void {
    this.forget(account)
    for (const [key, { labels }] of this.#totals) if (labels.account === account) this.#totals.delete(key)
    if (this.#lastCounted?.record.account === account) this.#lastCounted = undefined
  }

  forget(account: string): void {
    const log = this.#kept.get(account)
    if (log) {
      this.#bytes -= log.bytes
      this.#bodyBytes -= log.refused.texts.bytes + log.others.texts.bytes
    }
    this.#kept.delete(account)
    if (account === this.#lastCalled) this.#lastCalled = undefined
  }

  /** The sizes of everything that is limited in bytes. */
  get sizes(): readonly KeptBytes[] {
    return [
      { what: 'requests', bytes: this.#bytes, most: MOST_BYTES },
      { what: 'bodies', bytes: this.#bodyBytes, most: MOST_BODY_BYTES },
    ]
  }

  onRequest(listener: RequestListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}

/** The latest requests with their bodies: to add one always costs the same. */
class Ring {
  readonly texts = new KeptTexts()
  readonly #rows: Kept[] = []
  #next = 0

  /** How many bytes it has more than before, without the bodies. */
  add(kept: Kept): number {
    const before = this.#rows[this.#next]
    this.#rows[this.#next] = kept
    this.#next = (this.#next + 1) % KEPT
    if (!before) return sizeOf(kept)
    // Nobody can ask for bodies that are older than the oldest request.
    const { sent, answered } = this.#rows[this.#next] ?? kept
    const oldest = sent ?? answered
    if (oldest) this.texts.giveUpBefore(oldest.stored)
    return sizeOf(kept) - sizeOf(before)
  }

  /** Oldest first. */
  get all(): readonly Kept[] {
    return [...this.#rows.slice(this.#next), ...this.#rows.slice(0, this.#next)]
  }
}

/** Bytes outside the heap, of which the first ones are used. */
interface Chunk {
  bytes: Buffer
  used: number
  isGivenUp: boolean
}

/** Where a text is. */
export interface Piece {
  readonly chunk: Chunk
  readonly start: number
  readonly length: number
}

const FIRST_CHUNK = 4 * 1024
const LARGEST_CHUNK = 64 * 1024

/**
 * The latest texts, as bytes outside the heap: kept as strings, they would survive several garbage collections, each of
 * which copies them, and that took more than a third of the time of a page of payouts. An account that was called a few
 * times needs little memory, so the chunks grow.
 */
export class KeptTexts {
  /** Of one kind of one account, so that it does not have to be the largest of all before it is bounded. */
  static readonly most = MOST_BODY_BYTES / 4
  readonly #chunks: Chunk[] = []
  /** How much memory it has. */
  bytes = 0

  add(text: string): Piece {
    const length = Buffer.byteLength(text)
    const last = this.#chunks.at(-1)
    const chunk = last && last.bytes.length - last.used >= length ? last : this.#begin(length, last)
    const start = chunk.used
    chunk.bytes.write(text, start, length)
    chunk.used += length
    return { chunk, start, length }
  }

  #begin(length: number, last: Chunk | undefined): Chunk {
    const size = last ? Math.min(LARGEST_CHUNK, 2 * last.bytes.length) : FIRST_CHUNK
    const chunk = { bytes: Buffer.allocUnsafeSlow(Math.max(size, length)), used: 0, isGivenUp: false }
    this.#chunks.push(chunk)
    this.bytes += chunk.bytes.length
    while (this.bytes > KeptTexts.most) this.giveUpOldest()
    return chunk
  }

  /** How many bytes that gives back. */
  giveUpOldest(): number {
    const oldest = this.#chunks.shift()
    if (!oldest) return 0
    const freed = oldest.bytes.length
    this.bytes -= freed
    oldest.bytes = Buffer.alloc(0)
    oldest.isGivenUp = true
    return freed
  }

  /** Gives up the chunks that were begun before the one in which this is. */
  giveUpBefore({ chunk }: Piece): void {
    while (this.#chunks[0] !== chunk && !chunk.isGivenUp) this.giveUpOldest()
  }
}

export const holds = ({ chunk }: Piece): boolean => !chunk.isGivenUp

export const read = ({ chunk, start, length }: Piece): string =>
  chunk.bytes.toString('utf8', start, start + length)

function store(texts: KeptTexts, body: unknown): Body {
  if (typeof body !== 'string') return undefined
  const truncated = body.length > MOST_CHARACTERS
  const stored = texts.add(truncated ? body.slice(0, MOST_CHARACTERS) : body)
  return { stored, size: truncated ? Buffer.byteLength(body) : stored.length, truncated }
}

const isStored = (body: Body): boolean => body === undefined || holds(body.stored)

/** Whether a body that is still stored contains a text in lower case. A text that only a secret contains is not found. */
const isMentioned = (text: string, { sent, answered }: Kept): boolean =>
  [sent, answered].some(body => {
    if (!body || !holds(body.stored)) return false
    const whole = read(body.stored)
    return whole.toLowerCase().includes(text) && redact(whole).toLowerCase().includes(text)
  })

/** Bodies are stored as they are; secrets are removed when somebody reads them. */
function messageOf(body: Body, headers: HttpMessage['headers']): HttpMessage {
  if (!body || body.size === 0) return { headers, body: null, size: 0, truncated: false }
  const { stored, size, truncated } = body
  return { headers, body: redact(read(stored)), size, truncated }
}

const sentHeaders = ({ contentType, idempotencyKey }: Kept, shown = withoutSecrets) =>
  given({ 'content-type': contentType, 'idempotency-key': idempotencyKey }, shown)

const given = (headers: Record<string, unknown>, shown = withoutSecrets): HttpMessage['headers'] =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) => (value ? [[name, shown(String(value))]] : [])),
  )

const RECORD_ID = /\bp[io]_[A-Za-z0-9]+/

/** The merchant's own name of what a request is about: of the record in its path, or of the one that it asked for. */
function referenceOf({ record: { path, method }, sent }: Kept, { account }: AccountRuntime): string | null {
  const [id] = RECORD_ID.exec(path) ?? []
  const { payments, payouts } = account.world
  if (id !== undefined) return (payments.get(id) ?? payouts.get(id))?.merchantReference ?? null
  if (method !== 'POST' || !sent || !holds(sent.stored)) return null
  const [, quoted] = REFERENCE.exec(read(sent.stored)) ?? []
  try {
    return quoted === undefined ? null : withoutSecrets(JSON.parse(quoted))
  } catch {
    return null
  }
}

/** The whole body need not be parsed for it, and may be cut. */
const REFERENCE = /"merchant_reference"\s*:\s*("(?:[^"\\]|\\.)*")/
