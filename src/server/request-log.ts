import type { LoggedRequest, RequestDetail, RequestRecord } from '../contract/control/journal.ts'
import { formatTimestamp } from '../contract/timestamps.ts'
import type { AccountRuntime } from '../engine/account-runtime.ts'
import { Exchanges } from './exchanges.ts'
import type { Reply } from './http/reply.ts'
import type { Request } from './http/request.ts'

export type RequestListener = (record: RequestRecord) => void

interface Kept {
  readonly record: RequestRecord
  readonly wall: number
  readonly arrival: Request['arrival']
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

const KEPT = 500

/** The last requests of each account, and the listeners for new ones. */
export class RequestLog {
  readonly #kept = new Map<string, { records: Kept[]; next: number }>()
  readonly #exchanges = new Exchanges()
  readonly #listeners = new Set<RequestListener>()
  readonly #totals = new Map<string, Total>()
  /** What was counted last: usually the same again. */
  #lastCounted: { readonly record: RequestRecord; readonly total: Total } | undefined

  record(record: RequestRecord, wall: number, request: Request, reply: Reply): void {
    if (record.account !== null) {
      this.#keep(record.account, { record, wall, arrival: request.arrival })
      this.#exchanges.keep(request, reply)
    }
    this.#count(record)
    if (!request.watching) for (const listener of this.#listeners) listener(record)
  }

  /** A ring buffer, so adding a request always costs the same. */
  #keep(account: string, record: Kept): void {
    let ring = this.#kept.get(account)
    if (!ring) {
      ring = { records: [], next: 0 }
      this.#kept.set(account, ring)
    }
    ring.records[ring.next] = record
    ring.next = (ring.next + 1) % KEPT
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

  /** Those whose path names a record, oldest first. */
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

  forget(account: string): void {
    this.#kept.delete(account)
  }

  onRequest(listener: RequestListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
