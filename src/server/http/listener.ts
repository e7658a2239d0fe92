import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type Carrier, NodeCarrier } from './carrier.ts'
import { NodeRequests, TIME_LIMITS } from './node-requests.ts'
import { PlainConnection } from './plain-connection.ts'
import type { ClientError } from './refuse-unread.ts'

const KEEP_ALIVE_MS = 72_000
/** How long a stop waits for running requests. */
const LAST_ANSWERS_MS = 1500
/** How long a process of a cluster still reads on idle connections: longer than its balancer keeps them. */
const LAST_REQUESTS_MS = 1500
/** A turn of the event loop in which nothing else happened takes less than this. */
const QUIET_TURN_MS = 0.5
const MOST_TURNS = 200

/** A port and its server: plain requests are answered on a shorter way, and all others by Node's server. */
export class Listener {
  readonly #server: Server
  readonly #plain = new Set<PlainConnection>()
  #closing = false
  #leaving = false
  #closed: Promise<void> | undefined
  #connections = 0

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
      isLeaving: () => this.leaving,
      refuse: (error: ClientError, socket: Socket) => server.emit('clientError', error, socket),
      giveToNode: (socket: Socket) => {
        for (const listener of listenersOfNode) listener.call(server, socket)
      },
      onLeft: (connection: PlainConnection) => this.#plain.delete(connection),
    }
    server.removeAllListeners('connection')
    server.on('connection', socket => {
      this.#connections++
      this.#plain.add(new PlainConnection(socket, settings))
    })
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

  /** Whether each connection ends with its next answer. */
  get leaving(): boolean {
    return this.#leaving || this.#closing
  }

  /**
   * Takes no new connection, and ends each of the others with its next answer. A balancer may send a request on an idle
   * connection at the moment in which that is closed, and must not send it again. So idle connections are read until
   * the balancer has closed them.
   */
  async retire(): Promise<void> {
    await this.#quietTurn()
    // Node's own way for a server of HTTP also closes the idle connections.
    this.#closed = new Promise(resolve => NetServer.prototype.close.call(this.#server, () => resolve()))
    this.#leaving = true
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>(resolve => {
      timer = setTimeout(resolve, LAST_REQUESTS_MS)
    })
    await Promise.race([this.#closed, late])
    clearTimeout(timer)
  }

  /** The system resets connections that were made and not yet accepted, so it must not be told to stop between the two. */
  async #quietTurn(): Promise<void> {
    for (let turn = 0; turn < MOST_TURNS; turn++) {
      const [before, began] = [this.#connections, performance.now()]
      await new Promise(setImmediate)
      if (this.#connections === before && performance.now() - began < QUIET_TURN_MS) return
    }
  }

  /** `onCut` is called before the connections that are still open are cut off. */
  async close(onCut: () => void): Promise<void> {
    this.#closing = true
    const cut = setTimeout(() => {
      onCut()
      this.#server.closeAllConnections()
      for (const { socket } of this.#plain) socket.destroy()
    }, LAST_ANSWERS_MS)
    const closed = this.#closed ?? new Promise<void>(resolve => this.#server.close(() => resolve()))
    this.#server.closeIdleConnections()
    for (const { isIdle, socket } of this.#plain) if (isIdle) socket.destroy()
    await closed
    clearTimeout(cut)
  }
}
