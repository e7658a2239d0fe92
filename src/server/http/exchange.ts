import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeader, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { pipeline, type Readable } from 'node:stream'

/** An answer that is whole. */
export interface WholeAnswer {
  readonly status: number
  /** Names and values in turn. */
  readonly headers: OutgoingHttpHeader[]
  readonly payload: string | Buffer | null
  /** The bytes of the payload. */
  readonly length: number
}

/** A plain connection, to which the bytes of an answer can be written. */
export interface RawConnection {
  readonly socket: Socket
  /** The end of the head of an answer. */
  readonly keepAlive: string
  /** Called when the whole answer was written. */
  finish(): void
}

/** One HTTP request, and how its response is sent: by Node's server, or by a plain connection. */
export interface Exchange {
  readonly method: string
  /** The path with its query. */
  readonly url: string
  /** The host in the target, if the client sent the request as to a proxy. */
  readonly authority: string | undefined
  readonly headers: IncomingHttpHeaders
  /** Names and values in turn. */
  readonly rawHeaders: readonly string[]
  /** The whole body, once it was read. */
  chunks: Chunks | undefined
  /** The body, if it was read as text. */
  text: string | undefined
  /** Node's request, for a body that is read as a stream. */
  readonly incoming: IncomingMessage
  /** Node's response, for an answer that is not sent whole. */
  readonly outgoing: ServerResponse
  readonly socket: Socket
  /** Only of a plain connection. */
  readonly raw: RawConnection | undefined
  /** Whether the caller has its whole answer, or has gone away. */
  readonly isOver: boolean
  send(answer: WholeAnswer): void
  /** Sends an answer as its payload is made. */
  stream(head: Pick<WholeAnswer, 'status' | 'headers'>, payload: Readable): void
  /** Gives the caller the time of an import to send it. */
  allowLong(): void
  /** Calls this if the caller goes away before the end of its answer. Returns what to call when that no longer matters. */
  whenGone(listener: () => void): () => void
}

/** An exchange of Node's server. */
export class NodeExchange implements Exchange {
  readonly method: string
  readonly url: string
  readonly authority: string | undefined
  readonly headers: IncomingHttpHeaders
  chunks: Chunks | undefined
  text: string | undefined
  /** Limits the time in which the body must come. */
  #timer: NodeJS.Timeout | undefined
  #limitAnew: () => void = () => {}

  constructor(
    readonly incoming: IncomingMessage,
    readonly outgoing: ServerResponse,
  ) {
    this.method = incoming.method ?? ''
    const { url, authority } = targetOf(incoming.url ?? '')
    this.url = url
    this.authority = authority
    this.headers = incoming.headers
  }

  /** Calls this if the body is not here whole in time. */
  limitTime({ usualMs, longMs }: { usualMs: number; longMs: number }, onLate: () => void): void {
    const { incoming } = this
    const limitTo = (ms: number) => {
      clearTimeout(this.#timer)
      this.#timer = setTimeout(() => !incoming.complete && onLate(), ms).unref()
    }
    limitTo(usualMs)
    this.#limitAnew = () => limitTo(longMs)
    const stop = () => {
      clearTimeout(this.#timer)
      this.#limitAnew = () => {}
    }
    incoming.once('end', stop).once('close', stop)
  }

  allowLong(): void {
    this.#limitAnew()
  }

  get rawHeaders(): readonly string[] {
    return this.incoming.rawHeaders
  }

  get socket(): Socket {
    return this.incoming.socket
  }

  get raw(): undefined {
    return undefined
  }

  get isOver(): boolean {
    return this.outgoing.writableFinished || this.outgoing.destroyed
  }

  whenGone(listener: () => void): () => void {
    // The event is also emitted after a complete answer.
    const closed = () => {
      if (!this.outgoing.writableEnded) listener()
    }
    this.outgoing.once('close', closed)
    return () => this.outgoing.off('close', closed)
  }

  send({ status, headers, payload }: WholeAnswer): void {
    this.outgoing.writeHead(status, headers).end(payload ?? undefined)
  }

  stream(head: Pick<WholeAnswer, 'status' | 'headers'>, payload: Readable): void {
    pipeTo(this.outgoing, head, payload)
  }
}

export function pipeTo(
  outgoing: ServerResponse,
  { status, headers }: Pick<WholeAnswer, 'status' | 'headers'>,
  payload: Readable,
): void {
  outgoing.writeHead(status, headers)
  // If the stream fails, destroy the connection, so that the client notices.
  pipeline(payload, outgoing, error => {
    if (error) outgoing.destroy()
  })
}

const ABSOLUTE = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)(.*)$/is

/** A client that takes the server for its proxy sends a whole address as the target. */
function targetOf(target: string): { readonly url: string; readonly authority: string | undefined } {
  const [, scheme, host = '', rest = ''] = (target.startsWith('/') ? null : ABSOLUTE.exec(target)) ?? []
  if (scheme === undefined) return { url: target, authority: undefined }
  // With another scheme, it is not an address of this server.
  const authority = scheme.toLowerCase() === 'http' ? host : `${scheme}://${host}`
  return { url: rest.startsWith('/') ? rest : `/${rest}`, authority }
}

/** A chunk costs about as much memory as this many bytes of it. */
const SMALL = 256
const SMALL_TOGETHER = 1024

/** Bytes in the chunks in which they arrived. Many small ones are joined, because each chunk costs memory of its own. */
export class Chunks {
  readonly all: Buffer[] = []
  size = 0
  #small = 0

  add(chunk: Buffer): void {
    this.all.push(chunk)
    this.size += chunk.length
    this.#small = chunk.length < SMALL ? this.#small + 1 : 0
    if (this.#small < SMALL_TOGETHER) return
    this.all.push(Buffer.concat(this.all.splice(-this.#small)))
    this.#small = 0
  }

  /** The first bytes, and at most this many. */
  start(length: number): Buffer {
    const [first = Buffer.alloc(0)] = this.all
    return (first.length < length ? this.whole() : first).subarray(0, length)
  }

  whole(): Buffer {
    const [first, second] = this.all
    if (first && !second) return first
    const joined = Buffer.concat(this.all)
    this.all.splice(0, this.all.length, joined)
    return joined
  }

  clear(): void {
    this.all.length = 0
    this.size = 0
    this.#small = 0
  }
}
