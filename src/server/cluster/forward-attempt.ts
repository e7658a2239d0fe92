import type { ServerResponse } from 'node:http'
import type { Dispatcher } from 'undici'
import type { Exchange } from '../http/exchange.ts'
import { endToEnd, NO_ANSWER, type NoAnswer } from './forwarding-headers.ts'

/**
 * How one attempt ended. `answered`: the caller has the answer, or as much of it as there is. `not-reached`: there was
 * no connection. `lost`: the connection ended before an answer. `given-up`: this process did not wait for it any longer.
 */
export type Outcome = 'answered' | NoAnswer | 'not-reached' | 'lost' | 'given-up'

/** No connection was made, so nothing was sent. */
const NOT_REACHED = new Set([
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** One attempt to get a call answered by another process: passes its answer to the caller while it comes. */
export class ForwardAttempt implements Dispatcher.DispatchHandler {
  readonly outcome: Promise<Outcome>
  #end: (outcome: Outcome) => void = () => {}
  #controller: Dispatcher.DispatchController | undefined
  #noAnswer: NoAnswer | undefined
  #isAborted = false

  constructor(
    private readonly response: ServerResponse,
    /** Called with the type of the answer, before its head is passed on. */
    private readonly onHead: (contentType: string | undefined) => void,
  ) {
    this.outcome = new Promise(resolve => {
      this.#end = resolve
    })
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#isAborted) controller.abort(new Error('no longer needed'))
  }

  onResponseStart(
    controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
    reason?: string,
  ): void {
    // Informational answers are about the connection.
    if (status < 200) return
    const noAnswer = headers[NO_ANSWER]
    if (noAnswer === 'not-held' || noAnswer === 'reset') {
      this.#noAnswer = noAnswer
      return
    }
    const { response } = this
    const contentType = headers['content-type']
    this.onHead(typeof contentType === 'string' ? contentType : undefined)
    response.writeHead(status, reason ?? '', endToEnd(rawHeadersOf(controller)))
    // A stream may send nothing for a long time, so its head is sent now. Any other head is sent with its body.
    if (headers['content-length'] === undefined) response.flushHeaders()
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#noAnswer || this.response.write(chunk)) return
    controller.pause()
    this.response.once('drain', () => controller.resume())
  }

  onResponseEnd(): void {
    if (!this.#noAnswer) this.response.end()
    this.#end(this.#noAnswer ?? 'answered')
  }

  onResponseError(_: Dispatcher.DispatchController | undefined, error: Error & { readonly code?: string }) {
    const { response } = this
    if (this.#noAnswer) return this.#end(this.#noAnswer)
    if (!response.headersSent) return this.#end(this.#isAborted ? 'given-up' : outcomeOf(error.code))
    // The rest is missing. The connection is cut, so that the caller notices.
    response.socket?.end()
    this.#end('answered')
  }

  abort(): void {
    this.#isAborted = true
    this.#controller?.abort(new Error('no longer needed'))
  }
}

const outcomeOf = (code = ''): Outcome => (NOT_REACHED.has(code) ? 'not-reached' : 'lost')

/** The headers as they were sent, in order and with repetitions. */
function rawHeadersOf(controller: Dispatcher.DispatchController): string[] {
  const { rawHeaders } = controller as { rawHeaders?: readonly (Buffer | string)[] }
  return (rawHeaders ?? []).map(part => (typeof part === 'string' ? part : part.toString('latin1')))
}

/** A body up to this size is read before it is sent, in one piece. */
const SMALL = 64 * 1024
/** The largest upload, with some room for its form. A body is kept up to this size, so that it can be sent again. */
const MOST_KEPT = 6 * 1024 * 1024

/** The body of a call that is forwarded, perhaps several times. */
export class KeptBody {
  readonly #chunks: Buffer[] = []
  #size = 0
  #reading: AsyncIterator<Buffer> | undefined
  #filling: Promise<void> | undefined
  #isWhole = false
  #isSentWhole = false

  constructor(private readonly exchange: Exchange) {
    if (!exchange.chunks) return
    const read = exchange.chunks.whole()
    this.#chunks.push(read)
    this.#size = read.length
    this.#isWhole = true
  }

  /** Whether the last receiver got all of it. Before that, no process can have carried out the call. */
  get isSentWhole(): boolean {
    return this.#isSentWhole
  }

  /** Whether it can still be sent from its start. */
  get isKept(): boolean {
    return this.#size <= MOST_KEPT
  }

  /** A stream of it for one attempt; null if there is no body. */
  async open(): Promise<Buffer | AsyncIterable<Buffer> | null> {
    this.#isSentWhole = false
    const { headers } = this.exchange
    const length = Number(headers['content-length'] ?? 0)
    if (length === 0 && headers['transfer-encoding'] === undefined) {
      this.#isSentWhole = true
      return null
    }
    if (headers['transfer-encoding'] !== undefined || length > SMALL) return this.#stream()
    for await (const _ of this.#stream());
    return Buffer.concat(this.#chunks)
  }

  async *#stream(): AsyncGenerator<Buffer> {
    for (let at = 0; ; at++) {
      while (at === this.#chunks.length && !this.#isWhole) {
        // An earlier attempt may still wait for the same chunk.
        this.#filling ??= this.#fill()
        await this.#filling
      }
      const chunk = this.#chunks[at]
      if (!chunk) break
      if (!this.isKept) this.#chunks[at] = NOTHING
      yield chunk
    }
    this.#isSentWhole = true
  }

  /** Reads and discards the rest, so that its sender can finish and use the connection again. */
  async discard(): Promise<void> {
    if (this.exchange.chunks) return
    await this.#reading?.return?.()
    this.exchange.incoming.resume()
  }

  async #fill(): Promise<void> {
    try {
      this.#reading ??= this.exchange.incoming.iterator({ destroyOnReturn: false })[Symbol.asyncIterator]()
      const next: IteratorResult<Buffer> = await this.#reading.next()
      if (next.done) this.#isWhole = true
      else {
        this.#size += next.value.length
        this.#chunks.push(next.value)
      }
    } finally {
      this.#filling = undefined
    }
  }
}

const NOTHING = Buffer.alloc(0)

/** Notices that a caller has gone away before the end of the answer. Call `unwatch` when this is no longer needed. */
export class Caller {
  #isGone = false
  #onGone: (() => void) | undefined
  /** Made only for a call that waits for something: it costs more than all the rest of this. */
  #aborting: AbortController | undefined
  readonly unwatch: () => void

  constructor(exchange: Exchange) {
    this.unwatch = exchange.whenGone(() => {
      this.#isGone = true
      this.#aborting?.abort()
      this.#onGone?.()
    })
    // It may have left while this call waited.
    this.#isGone = exchange.socket.destroyed
  }

  get isGone(): boolean {
    return this.#isGone
  }

  /** Aborted when the caller goes away. */
  get signal(): AbortSignal {
    if (!this.#aborting) {
      this.#aborting = new AbortController()
      if (this.#isGone) this.#aborting.abort()
    }
    return this.#aborting.signal
  }

  /** Calls this when the caller goes away, instead of what was given before. */
  whenGone(onGone: (() => void) | undefined): void {
    this.#onGone = onGone
    if (this.#isGone) onGone?.()
  }
}
