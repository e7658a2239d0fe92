import type { Duplex } from 'node:stream'
import type { NodeCarrier } from './carrier.ts'
import { type ClientError, LATE } from './refuse-unread.ts'

/** How long a client may take to send a request. */
export interface TimeLimits {
  /** The head of a request, and the first byte on a new connection. */
  readonly headMs: number
  /** A whole request. */
  readonly requestMs: number
  /** A whole import. */
  readonly importMs: number
}

export const TIME_LIMITS: TimeLimits = { headMs: 10_000, requestMs: 60_000, importMs: 600_000 }

/** How long the rest of a refused request is read, so that the refusal reaches a client that is still sending. */
const LINGER_MS = 2000

/**
 * The requests that Node's server has read and that are not answered yet, by connection: so a time limit or malformed
 * bytes end a connection without writing into the answer to an earlier request.
 */
export class NodeRequests {
  readonly #open = new WeakMap<Duplex, NodeCarrier[]>()
  readonly #ending = new WeakSet<Duplex>()

  constructor(
    private readonly limits: TimeLimits,
    private readonly refuse: (error: ClientError, socket: Duplex) => void,
  ) {}

  begin(carrier: NodeCarrier): void {
    const { incoming, outgoing, socket } = carrier
    const open = this.#open.get(socket) ?? []
    this.#open.set(socket, [...open, carrier])
    const leave = () => {
      if (!incoming.complete || !outgoing.writableFinished) return
      const others = this.#open.get(socket)?.filter(other => other !== carrier) ?? []
      this.#open.set(socket, others)
    }
    outgoing.once('close', leave)
    if (!hasBody(carrier)) return
    const { headMs, requestMs, importMs } = this.limits
    // The head may have taken all of its time.
    carrier.limitTime({ usualMs: requestMs - headMs, longMs: importMs - headMs }, () => {
      const late = new Error('The request was not sent in time')
      this.fail(Object.assign(late, { code: LATE }), socket)
    })
    incoming.once('end', leave)
  }

  /** Ends a connection on which something came that is not a request, or did not come in time. */
  fail(error: ClientError, socket: Duplex): void {
    // Node reports it again for each piece that follows.
    if (this.#ending.has(socket)) return
    this.#ending.add(socket)
    this.#end(error, socket)
  }

  #end(error: ClientError, socket: Duplex): void {
    if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy()
    const open = this.#open.get(socket) ?? []
    const current = open.find(({ outgoing }) => !outgoing.writableFinished)
    if (current) {
      const { incoming, outgoing } = current
      if (outgoing.headersSent && !outgoing.writableEnded) return void socket.destroy()
      if (outgoing.writableEnded || incoming.complete) {
        socket.pause()
        outgoing.once('close', () => this.#end(error, socket))
        return
      }
    } else if (open.some(({ incoming }) => !incoming.complete)) {
      // It was answered before its body was here, and gets no second answer.
      return void socket.destroy()
    }
    this.refuse(error, socket)
    setTimeout(() => socket.destroy(), LINGER_MS).unref()
    // Nothing may come of what a late client still sends. After malformed bytes, nothing can.
    if (error.code === LATE) socket.pause().once('finish', () => socket.destroy())
    else socket.removeAllListeners('data').resume()
  }
}

const hasBody = ({ headers }: NodeCarrier) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
