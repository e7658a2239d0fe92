import type { Tenant } from '../engine/tenant.ts'

/** One request as it went, without anything secret. */
export interface RequestRecord {
  readonly at: string
  readonly account: string | null
  readonly method: string
  readonly path: string
  readonly status: number
  readonly ms: number
  readonly request_id: string
  /** Members of the body that nothing reads. */
  readonly ignored: readonly string[]
}

export type RequestListener = (record: RequestRecord) => void

const KEPT = 500

/** The last requests of each account, and everybody who wants to hear of the next. */
export class RequestLog {
  readonly #kept = new Map<string, { records: RequestRecord[]; next: number }>()
  readonly #listeners = new Set<RequestListener>()
  readonly #totals = new Map<
    string,
    { labels: { account: string; method: string; status: string }; value: number }
  >()

  record(record: RequestRecord): void {
    if (record.account !== null) this.#keep(record.account, record)
    this.#count(record)
    for (const listener of this.#listeners) listener(record)
  }

  /** A ring: keeping one more costs the same whether it is full or not. */
  #keep(account: string, record: RequestRecord): void {
    let ring = this.#kept.get(account)
    if (!ring) {
      ring = { records: [], next: 0 }
      this.#kept.set(account, ring)
    }
    ring.records[ring.next] = record
    ring.next = (ring.next + 1) % KEPT
  }

  #count({ account, method, status }: RequestRecord): void {
    const key = `${account} ${method} ${status}`
    const total = this.#totals.get(key)
    if (total) total.value += 1
    else {
      const labels = { account: account ?? '', method, status: String(status) }
      this.#totals.set(key, { labels, value: 1 })
    }
  }

  /** How many requests were answered, by account, method and status. */
  totals() {
    return [...this.#totals.values()]
  }

  /** Newest first. */
  of({ account }: Tenant): RequestRecord[] {
    const ring = this.#kept.get(account.id)
    if (!ring) return []
    return [...ring.records.slice(ring.next), ...ring.records.slice(0, ring.next)].reverse()
  }

  forget(account: string): void {
    this.#kept.delete(account)
  }

  onRequest(listener: RequestListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }
}
