import type { IncomingHttpHeaders } from 'node:http'
import { parse } from 'node:querystring'
import { type PathPattern, withNames } from '../../contract/paths.ts'
import type { HttpFault } from '../../domain/faults.ts'
import type { RequestIds } from '../../engine/account/ids.ts'
import type { AccountRuntime } from '../../engine/account/open-runtime.ts'
import type { Exchange } from './exchange.ts'

/** A request, with what the server knows about it. */
export class Request {
  readonly method: string
  readonly url: string
  readonly path: string
  readonly segments: readonly string[]
  readonly headers: IncomingHttpHeaders
  /** The pattern that matched, such as `/payment_intents/:id`. */
  pattern: PathPattern | undefined
  params: Readonly<Record<string, string>> = {}
  /** Members of the body, and names in the query, that nothing reads. */
  ignored: readonly string[] = []
  /** The fault that will change the response. */
  fault: HttpFault | undefined
  /** The fault that happened to it, and whether the work was done. */
  disturbed: (Pick<HttpFault, 'type' | 'name'> & { readonly carriedOut: boolean }) | null = null
  /** The account's last entry when the request was assigned to it; what the request causes comes later. */
  arrival: { readonly at: number; readonly seq: number } | null = null
  #runtime: AccountRuntime | null = null
  #requestId: string | undefined
  /** Whether the dashboard made it only to read, so that it is not logged. */
  watching = false
  /** Whether another process of the cluster forwarded it. */
  isForwarded = false

  constructor(
    readonly exchange: Exchange,
    /** Whose ids it gets until its account is known. */
    private ids: RequestIds,
    readonly startedAt = performance.now(),
  ) {
    this.method = exchange.method
    this.url = exchange.url
    const mark = this.url.indexOf('?')
    this.path = mark === -1 ? this.url : this.url.slice(0, mark)
    this.segments = this.path.split('/')
    this.headers = exchange.headers
  }

  /** Whether it changes nothing. */
  get isSafe(): boolean {
    return this.method === 'GET' || this.method === 'HEAD'
  }

  /** The id of the request, which is generated when it is first needed. */
  get requestId(): string {
    this.#requestId ??= this.ids.next()
    return this.#requestId
  }

  /** Takes the id of this request from the given source from now on. */
  drawIdFrom(ids: RequestIds): void {
    this.#requestId = ids.next()
  }

  get route(): string | undefined {
    return this.pattern?.text
  }

  /** The normalised path: `/payment%5Fintents` is `/payment_intents`. */
  get address(): string {
    return this.pattern ? withNames(this.pattern, this.params) : this.path
  }

  /** Whether a header was sent more than once: Node shows only the first of some headers. */
  repeats(name: string): boolean {
    const { rawHeaders } = this.exchange
    let times = 0
    for (let at = 0; at < rawHeaders.length; at += 2) {
      const header = rawHeaders[at]
      if (header?.length === name.length && header.toLowerCase() === name) times++
    }
    return times > 1
  }

  get runtime(): AccountRuntime | null {
    return this.#runtime
  }

  set runtime(runtime: AccountRuntime | null) {
    this.#runtime = runtime
    if (runtime) this.arrival ??= { at: runtime.account.now, seq: runtime.account.world.seq }
  }

  /** A repeated parameter has all its values. */
  get query(): Record<string, string | string[] | undefined> {
    return parse(this.url.slice(this.path.length + 1))
  }
}
