import { type IncomingHttpHeaders, type IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { CONTROL_PREFIX } from '../../contract/paths.ts'
import { Chunks, type Exchange, pipeTo, type RawConnection, type WholeAnswer } from './exchange.ts'
import { messageOf } from './local-exchange.ts'
import type { ClientError } from './read-body.ts'
import { responseHead } from './reply.ts'

interface PlainConnectionSettings {
  readonly keepAliveMs: number
  /** How long it waits for the first byte, and for the rest of a request before Node has to. */
  readonly headMs: number
  readonly handle: (exchange: Exchange) => void
  /** Whether the server is stopping, so that nothing more is read on an idle connection. */
  readonly isClosing: () => boolean
  /** Whether each connection ends with its next answer; that is so while the server stops, and before. */
  readonly isLeaving: () => boolean
  /** Answers a request that never became whole, and ends the connection. */
  readonly refuse: (error: ClientError, socket: Socket) => void
  /** Gives the connection to Node's server for good. */
  readonly giveToNode: (socket: Socket) => void
  readonly onLeft: (connection: PlainConnection) => void
}

/** A request that comes in more parts than this is left to Node, which limits its time. */
const MOST_PARTS = 2
/** A client that sends just before the end of the announced time still finds the connection open. */
const GRACE_MS = 1000

const NOTHING = Buffer.alloc(0)

/**
 * A connection as long as its requests are plain: these are read and answered without Node's streams, which take longer
 * than everything else that a request for a payment needs. The first request that is not plain goes to Node's server,
 * with the connection and all bytes from its first one on. So each byte is read by exactly one of the two.
 */
export class PlainConnection implements RawConnection {
  /** What was received and belongs to no request yet. */
  #rest: Buffer = NOTHING
  #parts = 0
  #known: PlainHeader | undefined
  /** The request that is being answered. */
  #current: PlainExchange | undefined
  #isReading = false
  /** Whether a request was answered, so that the client knows how long the connection stays open. */
  #isKept = false
  readonly #kept: string

  constructor(
    readonly socket: Socket,
    private readonly settings: PlainConnectionSettings,
  ) {
    const { keepAliveMs, headMs } = settings
    this.#kept = `Connection: keep-alive\r\nKeep-Alive: timeout=${Math.floor(keepAliveMs / 1000)}\r\n`
    socket.setTimeout(headMs)
    socket.on('data', this.#onData).on('end', this.#onEnd).on('timeout', this.#onTimeout)
    // For good: Node takes its own listener away from a connection that asks for a tunnel, and an error that nobody
    // listens to would end the process.
    socket.on('error', () => socket.destroy())
    socket.on('close', this.#onClose)
  }

  /** The end of each head that is written here. */
  get keepAlive(): string {
    return this.settings.isLeaving() ? 'Connection: close\r\n' : this.#kept
  }

  /** Whether it waits for a request. */
  get isIdle(): boolean {
    return !this.#current && this.#rest.length === 0
  }

  isAnswering(exchange: PlainExchange): boolean {
    return this.#current === exchange
  }

  readonly #onData = (bytes: Buffer) => {
    if (this.isIdle && this.settings.isClosing()) return
    this.#rest = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes])
    // Requests are answered one after another, whatever a client sends ahead.
    if (this.#current) this.socket.pause()
    else this.#readRequests()
  }

  #readRequests(): void {
    this.#isReading = true
    while (!this.#current && this.#rest.length > 0 && this.socket.writable) {
      const request = readPlainRequest(this.#rest, this.#known)
      if (request === 'unfinished' && ++this.#parts < MOST_PARTS) {
        this.#limitIdleTime(false)
        break
      }
      if (request === 'unfinished' || !request || request.url.startsWith(CONTROL_PREFIX))
        return this.#giveToNode()
      this.#answer(request)
    }
    this.#isReading = false
    if (!this.#current && this.socket.isPaused()) this.socket.resume()
  }

  #answer(request: PlainRequest): void {
    const bytes = this.#rest
    this.#rest = request.end === bytes.length ? NOTHING : bytes.subarray(request.end)
    this.#parts = 0
    this.#known = request.header
    this.#limitIdleTime(true)
    this.#current = new PlainExchange(this, request, bytes.subarray(request.bodyAt, request.end))
    this.settings.handle(this.#current)
  }

  #limitIdleTime(isKept: boolean): void {
    if (isKept === this.#isKept) return
    this.#isKept = isKept
    const { keepAliveMs, headMs } = this.settings
    this.socket.setTimeout(isKept ? keepAliveMs + GRACE_MS : headMs)
  }

  #giveToNode(): void {
    const { socket } = this
    this.#detach()
    socket.setTimeout(0)
    this.settings.giveToNode(socket)
    socket.unshift(this.#rest)
    if (socket.isPaused()) socket.resume()
  }

  /** Sends an answer, if its head is plain too. */
  trySend(answer: WholeAnswer, text: string): boolean {
    const head = responseHead(answer, this.keepAlive)
    if (head === undefined) return false
    const isAscii = answer.length === text.length
    this.socket.write(head + text, isAscii ? 'latin1' : 'utf8')
    this.finish()
    return true
  }

  /** The whole answer was written. */
  finish(): void {
    if (this.socket.writableNeedDrain) this.socket.once('drain', () => this.#answered())
    else this.#answered()
  }

  /** An answer in Node's form, after which the next request is read. */
  outgoingFor(incoming: IncomingMessage): ServerResponse {
    const { socket } = this
    const outgoing = new ServerResponse(incoming)
    // Node's server sets it too, and announces it in each answer.
    Object.assign(outgoing, { _keepAliveTimeout: this.settings.keepAliveMs })
    if (socket.destroyed) outgoing.destroyed = true
    outgoing.assignSocket(socket)
    // As Node's server does, so that a stream that waits goes on.
    const onDrain = () => outgoing.emit('drain')
    socket.on('drain', onDrain)
    return outgoing.once('finish', () => {
      socket.off('drain', onDrain)
      outgoing.detachSocket(socket)
      outgoing.emit('close')
      this.#answered()
    })
  }

  /** The answer is written, so the next request may be read. */
  #answered(): void {
    this.#current = undefined
    if (this.settings.isLeaving()) this.socket.destroySoon()
    else if (!this.#isReading) this.#readRequests()
  }

  /** The client has half-closed the connection. As in Node's server, that ends it, even if an answer is outstanding. */
  readonly #onEnd = () => {
    if (this.isIdle || this.#current) this.socket.end()
    else this.#refuse(new Error('The request ended too early'))
  }

  readonly #onTimeout = () => {
    if (this.#current) return
    if (this.#rest.length === 0) this.socket.destroy()
    else this.#giveToNode()
  }

  #refuse(error: ClientError): void {
    this.#rest = NOTHING
    this.socket.off('data', this.#onData)
    this.settings.refuse(error, this.socket)
  }

  readonly #onClose = () => {
    this.#detach()
  }

  #detach(): void {
    const { socket } = this
    socket.off('data', this.#onData).off('end', this.#onEnd).off('timeout', this.#onTimeout)
    socket.off('close', this.#onClose)
    this.settings.onLeft(this)
  }
}

/** An exchange of a plain connection. Node's objects are made only for what needs them. */
class PlainExchange implements Exchange {
  readonly method: string
  readonly url: string
  readonly authority = undefined
  readonly headers: PlainHeader['fields']
  readonly rawHeaders: readonly string[]
  chunks = new Chunks()
  text: string | undefined
  #incoming: IncomingMessage | undefined
  #outgoing: ServerResponse | undefined

  constructor(
    private readonly connection: PlainConnection,
    { method, url, header }: PlainRequest,
    body: Buffer,
  ) {
    this.method = method
    this.url = url
    this.headers = header.fields
    this.rawHeaders = header.raw
    if (body.length > 0) this.chunks.add(body)
  }

  get raw(): RawConnection {
    return this.connection
  }

  get socket(): Socket {
    return this.connection.socket
  }

  get isOver(): boolean {
    return !this.connection.isAnswering(this) || this.socket.destroyed
  }

  whenGone(listener: () => void): () => void {
    this.socket.once('close', listener)
    return () => this.socket.off('close', listener)
  }

  get incoming(): IncomingMessage {
    this.#incoming ??= messageOf(this, this.connection.socket)
    return this.#incoming
  }

  get outgoing(): ServerResponse {
    this.#outgoing ??= this.connection.outgoingFor(this.incoming)
    return this.#outgoing
  }

  /** All of it is here. */
  allowLong(): void {}

  send(answer: WholeAnswer): void {
    if (this.isOver) return
    const { status, headers, payload } = answer
    const isShort = !this.#outgoing && !Buffer.isBuffer(payload) && status !== 204 && status !== 304
    if (isShort && this.connection.trySend(answer, payload ?? '')) return
    this.outgoing.writeHead(status, headers).end(payload ?? undefined)
  }

  stream(head: Pick<WholeAnswer, 'status' | 'headers'>, payload: Readable): void {
    pipeTo(this.outgoing, head, payload)
  }
}

/** A request of HTTP/1.1 that is plain: GET or POST, small, and without anything that needs a rule to understand it. */
interface PlainRequest {
  readonly method: string
  readonly url: string
  readonly header: PlainHeader
  /** Where its body begins and ends. */
  readonly bodyAt: number
  readonly end: number
}

/** The header of a request. Most clients send the same one again and again, so it is read once. */
interface PlainHeader {
  readonly text: string
  readonly fields: IncomingHttpHeaders
  /** Names and values in turn, as they were sent. */
  readonly raw: readonly string[]
  readonly contentLength: number
}

/** The limits are far below those of Node, which answers all larger requests. */
const MOST_HEAD = 8 * 1024
const MOST_BODY = 64 * 1024
const MOST_FIELDS = 64

const REQUEST_LINE = /(GET|POST) (\/[!"$-~]*) HTTP\/1\.1\r\n/y
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const VALUE = /^[\t\x20-\x7e]*$/
const LENGTH = /^\d{1,6}$/

/** They change how a request is read or answered. */
const NOT_PLAIN = new Set([
  'expect',
  'http2-settings',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * The request at the start of these bytes. `unfinished`: only a part of its body is here. Undefined: it is not plain, or
 * its head is not here whole. `known` is the header of an earlier request.
 */
export function readPlainRequest(
  bytes: Buffer,
  known?: PlainHeader,
): PlainRequest | 'unfinished' | undefined {
  const text = bytes.toString('latin1', 0, MOST_HEAD)
  REQUEST_LINE.lastIndex = 0
  const [line, method, url] = REQUEST_LINE.exec(text) ?? []
  if (!line || !method || !url) return undefined
  const headerEnd = text.indexOf('\r\n\r\n', line.length - 2) + 2
  if (headerEnd === 1) return undefined
  const headerText = text.slice(line.length, headerEnd)
  const header = known?.text === headerText ? known : readHeader(headerText)
  if (!header || (method === 'GET' && header.contentLength > 0)) return undefined
  const bodyAt = headerEnd + 2
  const end = bodyAt + header.contentLength
  return end > bytes.length ? 'unfinished' : { method, url, header, bodyAt, end }
}

function readHeader(text: string): PlainHeader | undefined {
  const fields: IncomingHttpHeaders = {}
  const raw: string[] = []
  for (let at = 0; at < text.length; ) {
    const [colon, end] = [text.indexOf(':', at), text.indexOf('\r\n', at)]
    const name = text.slice(at, colon)
    const value = text.slice(colon + 1, end)
    if (colon < at || colon > end || !NAME.test(name) || !VALUE.test(value)) return undefined
    const field = name.toLowerCase()
    // Node has a rule for each field that may be repeated.
    if (Object.hasOwn(fields, field) || !isPlain(field, value.trimStart())) return undefined
    fields[field] = value.trim()
    raw.push(name, value.trim())
    at = end + 2
  }
  if (fields.host === undefined || raw.length > 2 * MOST_FIELDS) return undefined
  const contentLength = Number(fields['content-length'] ?? 0)
  // A copy, because a part of the text would keep all of it in memory.
  return { text: Buffer.from(text, 'latin1').toString('latin1'), fields, raw, contentLength }
}

/** With what follows the value: Node refuses a length with a tab behind it. */
function isPlain(field: string, value: string): boolean {
  if (field === 'connection') return value.toLowerCase() === 'keep-alive'
  if (field === 'content-length') return LENGTH.test(value) && Number(value) <= MOST_BODY
  return !NOT_PLAIN.has(field)
}
