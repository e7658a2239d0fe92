import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeader, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Pieces } from '../pieces.ts'

/** An answer that is whole. */
export interface WholeAnswer {
  readonly status: number
  /** Names and values in turn. */
  readonly headers: OutgoingHttpHeader[]
  readonly payload: string | Buffer | null
  /** The bytes of the payload. */
  readonly length: number
}

/** A connection to which the bytes of an answer can be passed on. */
export interface Line {
  readonly socket: Socket
  /** The end of the head of an answer. */
  readonly keepAlive: string
  /** Called when the whole answer was written. */
  finish(): void
}

/** One request as it came, and the way back to its caller: through Node's server, or by a plain connection. */
export interface Carrier {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  /** Names and values in turn. */
  readonly rawHeaders: readonly string[]
  /** The whole body, once it was read. */
  pieces: Pieces | undefined
  /** The body, if it was read as text. */
  text: string | undefined
  /** The request as Node has it, for a body that is read as a stream. */
  readonly incoming: IncomingMessage
  /** The answer as Node has it, if it is not sent whole. */
  readonly outgoing: ServerResponse
  readonly socket: Socket
  /** Only of a plain connection. */
  readonly line: Line | undefined
  /** Whether the caller has its whole answer, or has gone away. */
  readonly isOver: boolean
  send(answer: WholeAnswer): void
  /** Calls this if the caller goes away before the end of its answer. Returns what to call when that no longer matters. */
  whenGone(listener: () => void): () => void
}

/** Node's server has read the request, and sends the answer. */
export class NodeCarrier implements Carrier {
  readonly method: string
  readonly url: string
  readonly headers: IncomingHttpHeaders
  pieces: Pieces | undefined
  text: string | undefined

  constructor(
    readonly incoming: IncomingMessage,
    readonly outgoing: ServerResponse,
  ) {
    this.method = incoming.method ?? ''
    this.url = incoming.url ?? ''
    this.headers = incoming.headers
  }

  get rawHeaders(): readonly string[] {
    return this.incoming.rawHeaders
  }

  get socket(): Socket {
    return this.incoming.socket
  }

  get line(): undefined {
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
}
