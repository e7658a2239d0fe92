import type { LoggedRequest, RequestDetail, RequestRecord } from '../contract/control/journal.ts'
import { readRefusal } from '../contract/error-body.ts'
import { withoutSecrets } from '../contract/redact.ts'
import { urlWithoutSecrets } from '../contract/redact-url.ts'
import { formatTimestamp } from '../contract/timestamps.ts'
import type { AnsweredRequest } from '../domain/why/request.ts'
import type { AccountRuntime } from '../engine/account-runtime.ts'
import { Exchanges } from './exchanges.ts'
import type { Reply } from './http/reply.ts'
import type { Request } from './http/request.ts'

export type RequestListener = (record: RequestRecord) => void

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
    if (!request.watching) for (const listener of this.#listeners) listener(record)
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

  /** Newest first. */
  of(runtime: AccountRuntime): LoggedRequest[] {
    return this.#all(runtime)
      .reverse()
      .map(({ record, wall }) => ({ ...record, wall_at: formatTimestamp(wall) }))
  }

  /** The requests whose path names a record, oldest first. */
  about(runtime: AccountRuntime, id: string): RequestAbout[] {
    return this.#all(runtime).flatMap(({ record, wall, arrival }) => {
      if (!arrival || !record.path.includes(id)) return []
      const came = { cameAt: arrival.at, cameWall: wall - record.ms, after: arrival.seq }
      return [{ ...record, wall_at: formatTimestamp(wall), ...came }]
    })
  }

  #all({ account }: AccountRuntime): Kept[] {
    const ring = this.#kept.get(account.id)
    return ring ? [...ring.records.slice(ring.next), ...ring.records.slice(0, ring.next)] : []
  }

  /** One request with headers and bodies, if they are still stored. */
  find(runtime: AccountRuntime, requestId: string): RequestDetail | undefined {
    const record = this.of(runtime).find(({ request_id }) => request_id === requestId)
    return record && { ...record, ...this.#exchanges.detail(requestId) }
  }

  /** One request as it was answered, to say why. */
  answered(runtime: AccountRuntime, requestId: string): AnsweredRequest | undefined {
    const kept = this.#all(runtime).find(({ record }) => record.request_id === requestId)
    if (!kept) return undefined
    const { method, path, status, at, ignored } = kept.record
    const { response } = this.#exchanges.detail(requestId)
    const refusal = status < 400 ? undefined : readRefusal(response?.body ?? '')
    const fault = kept.disturbed
    const known = { id: requestId, method, path, status, at, ignored, fault, isKept: response !== null }
    return { ...known, code: refusal?.code ?? null, message: refusal?.message || null }
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
