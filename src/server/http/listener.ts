import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, Server as NetServer, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { StartError } from '../../engine/store/store-errors.ts'
import { type Exchange, NodeExchange } from './exchange.ts'
import { PlainConnection } from './plain-connection.ts'
import { type ClientError, LATE } from './read-body.ts'

const KEEP_ALIVE_MS = 72_000
/** How long a stop waits for running requests. */
const LAST_ANSWERS_MS = 1500
/** How long a process of a cluster still reads on idle connections: longer than its balancer keeps them. */
const LAST_REQUESTS_MS = 1500
/** A turn of the event loop in which nothing else happened takes less than this. */
const QUIET_TURN_MS = 0.5
const MOST_TURNS = 200

/** A port. Plain connections answer plain requests, and Node's server answers all others. */
export class Listener {
  readonly #server: Server
  readonly #plain = new Set<PlainConnection>()
  #closing = false
  #leaving = false
  #closed: Promise<void> | undefined
  #connections = 0

  /** `refuse` answers what is not a request. */
  constructor(
    handle: (exchange: Exchange) => void,
    refuse: (error: ClientError, socket: Duplex) => void,
    limits = TIME_LIMITS,
  ) {
    const requests = new NodeRequests(limits, refuse)
    const take = (incoming: IncomingMessage, outgoing: ServerResponse) => {
      const exchange = new NodeExchange(incoming, outgoing)
      requests.begin(exchange)
      handle(exchange)
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

  #takePlainRequests(handle: (exchange: Exchange) => void, headMs: number): void {
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
    // An HTTP server's own close() also closes the idle connections.
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

/** How long a client may take to send a request. */
interface TimeLimits {
  /** The head of a request, and the first byte on a new connection. */
  readonly headMs: number
  /** A whole request. */
  readonly requestMs: number
  /** A whole import. */
  readonly importMs: number
}

const TIME_LIMITS: TimeLimits = { headMs: 10_000, requestMs: 60_000, importMs: 600_000 }

/** How long the rest of a refused request is read, so that the refusal reaches a client that is still sending. */
const LINGER_MS = 2000

/**
 * The requests that Node's server has read and that are not answered yet, by connection: so a time limit or malformed
 * bytes end a connection without writing into the answer to an earlier request.
 */
class NodeRequests {
  readonly #open = new WeakMap<Duplex, NodeExchange[]>()
  readonly #ending = new WeakSet<Duplex>()

  constructor(
    private readonly limits: TimeLimits,
    private readonly refuse: (error: ClientError, socket: Duplex) => void,
  ) {}

  begin(exchange: NodeExchange): void {
    const { incoming, outgoing, socket } = exchange
    const open = this.#open.get(socket) ?? []
    this.#open.set(socket, [...open, exchange])
    const forget = () => {
      if (!incoming.complete || !outgoing.writableFinished) return
      const others = this.#open.get(socket)?.filter(other => other !== exchange) ?? []
      this.#open.set(socket, others)
    }
    outgoing.once('close', forget)
    if (!hasBody(exchange)) return
    const { headMs, requestMs, importMs } = this.limits
    // The head may have taken all of its time.
    exchange.limitTime({ usualMs: requestMs - headMs, longMs: importMs - headMs }, () => {
      const late = new Error('The request was not sent in time')
      this.fail(Object.assign(late, { code: LATE }), socket)
    })
    incoming.once('end', forget)
  }

  /** Ends a connection on which something came that is not a request, or did not come in time. */
  fail(error: ClientError, socket: Duplex): void {
    // Node reports it again for each chunk that follows.
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

const hasBody = ({ headers }: NodeExchange) =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

interface PortSettings {
  readonly host: string
  readonly port: number
  /** The name of the port in messages of the command line and the library. */
  readonly name: 'port' | 'control port'
  /** Called with the address before the first connection is taken. */
  readonly onBound: (url: string) => void
}

interface Listening {
  readonly listener: Pick<Listener, 'listen'>
}

/** Listens on the last port again if possible, so that old addresses stay valid, or on any free one. */
export const listenAgain = (
  app: Listening | undefined,
  place: Omit<PortSettings, 'port'>,
  lastPort = 0,
): Promise<number> =>
  listen(app, { ...place, port: lastPort }).catch(cause => {
    if (lastPort === 0) throw cause
    return listen(app, { ...place, port: 0 })
  })

/** Resolves with the port. */
export async function listen(
  app: Listening | undefined,
  { host, port, name, onBound }: PortSettings,
): Promise<number> {
  if (!app) throw new Error('there is no such listener')
  try {
    return await app.listener.listen(host, port, bound => onBound(`http://${reachable(host)}:${bound}`))
  } catch (cause) {
    if (!(cause instanceof Error && 'code' in cause)) throw cause
    if (cause.code === 'EADDRINUSE')
      throw new StartError(
        `${name} ${port} on ${host} is in use: choose another one, or 0 for any free port`,
        2,
      )
    throw new StartError(`cannot listen on ${name} ${port} of ${host}: ${cause.message}`, 2)
  }
}

/** An address that a client on this machine can use. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1'
  if (host === '::') return '[::1]'
  return host.includes(':') ? `[${host}]` : host
}
