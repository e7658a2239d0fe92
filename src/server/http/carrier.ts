import type { IncomingHttpHeaders, IncomingMessage, OutgoingHttpHeader, ServerResponse } from 'node:http'
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
  send(answer: WholeAnswer): void
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

  send({ status, headers, payload }: WholeAnswer): void {
    this.outgoing.writeHead(status, headers).end(payload ?? undefined)
  }
}
