import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type Carrier, NodeCarrier } from './carrier.ts'
import { NodeRequests, TIME_LIMITS } from './node-requests.ts'
import { PlainConnection } from './plain-connection.ts'
import type { ClientError } from './refuse-unread.ts'

const KEEP_ALIVE_MS = 72_000
/** How long a stop waits for running requests. */
const LAST_ANSWERS_MS = 1500

/** A port and its server: plain requests are answered on a shorter way, and all others by Node's server. */
export class Listener {
  readonly #server: Server
  readonly #plain = new Set<PlainConnection>()
  #closing = false

  /** `refuse` answers what is not a request. */
  constructor(
    handle: (carrier: Carrier) => void,
    refuse: (error: ClientError, socket: Duplex) => void,
    limits = TIME_LIMITS,
  ) {
    const requests = new NodeRequests(limits, refuse)
    const take = (incoming: IncomingMessage, outgoing: ServerResponse) => {
      const carrier = new NodeCarrier(incoming, outgoing)
      requests.begin(carrier)
      handle(carrier)
    }
    this.#server = createServer({
      headersTimeout: limits.headMs,
      // That of the slowest one. All others are limited when their head is here.
      requestTimeout: limits.importMs,
      connectionsCheckingInterval: limits.headMs / 10,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // Node would answer a request without it, and in its own form.
      requireHostHeader: false,
    })
    this.#server
      .on('request', take)
      .on('checkExpectation', take)
      .on('connect', (_, socket) => requests.fail(Object.assign(new Error(), { code: 'CONNECT' }), socket))
      .on('clientError', (error: ClientError, socket) => requests.fail(error, socket))
    this.#takePlainRequests(handle, limits.headMs)
  }

  #takePlainRequests(handle: (carrier: Carrier) => void, headMs: number): void {
    const server = this.#server
    const listenersOfNode = server.listeners('connection')
    const settings = {
      keepAliveMs: KEEP_ALIVE_MS,
      headMs,
      handle,
      isClosing: () => this.#closing,
      refuse: (error: ClientError, socket: Socket) => server.emit('clientError', error, socket),
      giveToNode: (socket: Socket) => {
        for (const listener of listenersOfNode) listener.call(server, socket)
      },
      onLeft: (connection: PlainConnection) => this.#plain.delete(connection),
    }
    server.removeAllListeners('connection')
    server.on('connection', socket => this.#plain.add(new PlainConnection(socket, settings)))
  }

  /** Resolves with the port. `onBound` is called with it before the first connection is accepted. */
  listen(host: string, port: number, onBound: (port: number) => void): Promise<number> {
    return new Promise((resolve, reject) => {
      const failed = (cause: Error) => {
        this.#server.off('listening', started)
        reject(cause)
      }
      const started = () => {
        this.#server.off('error', failed)
        const { port: bound } = this.#server.address() as AddressInfo
        try {
          onBound(bound)
          resolve(bound)
        } catch (cause) {
          reject(cause)
        }
      }
      this.#server.once('error', failed).once('listening', started).listen({ host, port })
    })
  }

  /** Clients with open connections continue to send while the server stops, so new requests are refused. */
  get closing(): boolean {
    return this.#closing
  }

  /** `onCut` is called before the connections that are still open are cut off. */
  close(onCut: () => void): Promise<void> {
    this.#closing = true
    return new Promise(resolve => {
      const cut = setTimeout(() => {
        onCut()
        this.#server.closeAllConnections()
        for (const { socket } of this.#plain) socket.destroy()
      }, LAST_ANSWERS_MS)
      this.#server.close(() => {
        clearTimeout(cut)
        resolve()
      })
      this.#server.closeIdleConnections()
      for (const { isIdle, socket } of this.#plain) if (isIdle) socket.destroy()
    })
  }
}
