import { connect, type Socket } from 'node:net'
import type { RawConnection } from '../http/exchange.ts'
import type { Outcome } from './forward-attempt.ts'
import { NO_ANSWER, type NoAnswer } from './forwarding-headers.ts'

const STATUS = /^HTTP\/1\.1 (\d{3}) /
const LENGTH = /\r\ncontent-length: (\d+)\r\n/i
const UNANSWERED = new RegExp(`\\r\\n${NO_ANSWER}: (not-held|reset)\\r\\n`, 'i')
const HOP_BY_HOP = /\r\n(?:connection|keep-alive):[^\r]*/gi
const CLOSES = /\r\nconnection: close\r\n/i
const MOST_HEAD = 64 * 1024
const NOTHING = Buffer.alloc(0)

interface PlainAttemptSettings {
  readonly connections: HolderConnections
  readonly address: string
  readonly client: RawConnection
}

/**
 * One attempt to get a plain call answered by another process: the bytes of the answer go to the caller as they come. Most
 * calls of a cluster are forwarded, and a client with streams of its own takes several times as long for each.
 */
export class PlainAttempt {
  readonly outcome: Promise<Outcome>
  #end: (outcome: Outcome) => void = () => {}
  readonly #socket: Socket
  #isSent = false
  #isAborted = false
  /** What has come of the head. */
  #head: Buffer = NOTHING
  /** The bytes of the answer that are still to come; undefined before the end of its head. */
  #missing: number | undefined
  #noAnswer: NoAnswer | undefined
  /** Whether the holder closes the connection after this answer. */
  #isLast = false

  constructor(
    private readonly settings: PlainAttemptSettings,
    head: string,
    body: Buffer | null,
  ) {
    this.outcome = new Promise(resolve => {
      this.#end = resolve
    })
    this.#socket = settings.connections.take(settings.address)
    this.#isSent = !this.#socket.connecting
    this.#socket.once('connect', this.#onConnect).on('data', this.#onData).once('close', this.#onClose)
    // What is written before there is a connection is kept until then.
    if (body === null) this.#socket.write(head, 'latin1')
    else this.#socket.write(Buffer.concat([Buffer.from(head, 'latin1'), body]))
  }

  readonly #onConnect = () => {
    this.#isSent = true
  }

  readonly #onData = (bytes: Buffer) => {
    if (this.#missing !== undefined) return this.#passOn(bytes)
    this.#head = this.#head.length === 0 ? bytes : Buffer.concat([this.#head, bytes])
    const end = this.#head.indexOf('\r\n\r\n') + 4
    if (end >= 4) this.#readHead(this.#head.toString('latin1', 0, end), this.#head.subarray(end))
    else if (this.#head.length > MOST_HEAD) this.#socket.destroy()
  }

  #readHead(head: string, rest: Buffer): void {
    const status = STATUS.exec(head)?.[1]
    const length = status === '204' || status === '304' ? '0' : LENGTH.exec(head)?.[1]
    // A holder gives every answer to a plain call a Content-Length, so this is no answer of a holder.
    if (status === undefined || length === undefined) return void this.#socket.destroy()
    this.#missing = Number(length)
    this.#isLast = CLOSES.test(head)
    this.#noAnswer = UNANSWERED.exec(head)?.[1] as NoAnswer | undefined
    const { socket, keepAlive } = this.settings.client
    if (!this.#noAnswer && head.endsWith(`${keepAlive}\r\n`)) {
      this.#missing += head.length
      return this.#passOn(this.#head)
    }
    if (!this.#noAnswer)
      socket.write(`${head.slice(0, -2).replace(HOP_BY_HOP, '')}${keepAlive}\r\n`, 'latin1')
    this.#passOn(rest)
  }

  #passOn(bytes: Buffer): void {
    const { socket } = this.settings.client
    this.#missing = (this.#missing ?? 0) - bytes.length
    // More than was announced belongs to no call.
    if (this.#missing < 0) return void this.#socket.destroy()
    if (!this.#noAnswer && bytes.length > 0 && !socket.write(bytes) && this.#missing > 0) {
      this.#socket.pause()
      socket.once('drain', () => this.#socket.resume())
    }
    if (this.#missing === 0) this.#finish()
  }

  #finish(): void {
    const { connections, address, client } = this.settings
    this.#detach()
    if (this.#isLast) this.#socket.destroy()
    else connections.giveBack(address, this.#socket)
    if (!this.#noAnswer) client.finish()
    this.#end(this.#noAnswer ?? 'answered')
  }

  readonly #onClose = () => {
    this.#detach()
    if (this.#noAnswer) return this.#end(this.#noAnswer)
    if (this.#missing === undefined)
      return this.#end(this.#isAborted ? 'given-up' : this.#isSent ? 'lost' : 'not-reached')
    // The rest is missing. The connection is cut, so that the caller notices.
    this.settings.client.socket.end()
    this.#end('answered')
  }

  #detach(): void {
    this.#socket.off('connect', this.#onConnect).off('data', this.#onData).off('close', this.#onClose)
  }

  /** Must not be called after its outcome. */
  abort(): void {
    this.#isAborted = true
    this.#socket.destroy()
  }
}

const CONNECT_MS = 3000
/** Shorter than a process keeps a connection open that waits for a request. */
const IDLE_MS = 60_000

/** What comes while no call waits belongs to none. */
function endStray(this: Socket): void {
  this.destroy()
}

/** Kept connections to other processes, each for one call at a time. */
export class HolderConnections {
  readonly #all = new Set<Socket>()
  readonly #idle = new Map<string, Set<Socket>>()

  /** A connection to an address of plain HTTP. It may not be open yet. */
  take(address: string): Socket {
    const idle = this.#idle.get(address)
    for (const socket of idle ?? []) {
      idle?.delete(socket)
      // A connection that was ended or reset is known as closed only some turns later.
      if (socket.writable && !socket.readableEnded) return socket.setTimeout(0).off('data', endStray)
    }
    return this.#open(address)
  }

  #open(address: string): Socket {
    const { hostname, port } = new URL(address)
    const host = hostname.replace(/^\[|\]$/g, '')
    const socket = connect({ host, port: Number(port || 80), noDelay: true })
    this.#all.add(socket)
    return (
      socket
        .setTimeout(CONNECT_MS)
        .once('connect', () => socket.setTimeout(0))
        .on('timeout', () => socket.destroy())
        // The call that uses the connection learns of its end from `close`.
        .on('error', () => {})
        .once('close', () => {
          this.#all.delete(socket)
          this.#idle.get(address)?.delete(socket)
        })
    )
  }

  /** For the next call. */
  giveBack(address: string, socket: Socket): void {
    if (socket.destroyed) return
    const idle = this.#idle.get(address)
    if (idle) idle.add(socket)
    else this.#idle.set(address, new Set([socket]))
    socket.setTimeout(IDLE_MS).on('data', endStray).resume()
  }

  close(): void {
    for (const socket of this.#all) socket.destroy()
  }
}
