import { type OutgoingHttpHeader, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Readable } from 'node:stream'
import type { Exchange, WholeAnswer } from './exchange.ts'

type Payload = string | Buffer | Readable | null

/** A response. `send` sets its payload, and `end` sends all of it once the faults have seen it. */
export class Reply {
  statusCode = 200
  payload: Payload = null
  /** Something else writes to the connection, or has closed it. */
  hijacked = false
  /** Names and values in turn, which Node writes without another copy. */
  readonly #headers: OutgoingHttpHeader[] = ['cache-control', 'no-store', 'x-content-type-options', 'nosniff']

  constructor(readonly exchange: Exchange) {}

  /** Node's own form of it, for what is not sent whole. */
  get raw(): ServerResponse {
    return this.exchange.outgoing
  }

  code(status: number): this {
    this.statusCode = status
    return this
  }

  header(name: string, value: string | number): this {
    const at = this.#placeOf(name)
    if (at === undefined) this.#headers.push(name, value)
    else this.#headers[at + 1] = value
    return this
  }

  headers(values: Readonly<Record<string, string | number>>): this {
    for (const [name, value] of Object.entries(values)) this.header(name, value)
    return this
  }

  get contentType(): string | undefined {
    const at = this.#placeOf('content-type')
    return at === undefined ? undefined : String(this.#headers[at + 1])
  }

  #placeOf(name: string): number | undefined {
    const headers = this.#headers
    for (let at = 0; at < headers.length; at += 2) if (headers[at] === name) return at
    return undefined
  }

  send(payload: Payload = null): this {
    this.payload = payload
    return this
  }

  hijack(): void {
    this.hijacked = true
  }

  /** Promises a body, sends a part of it, and ends the connection. */
  breakOff(part: Buffer, promised: number): void {
    this.hijacked = true
    this.header('content-length', promised)
    this.raw.writeHead(this.statusCode, this.#headers)
    this.raw.write(part, () => this.raw.socket?.end())
  }

  /** Whether the connection has all of it. */
  get isOver(): boolean {
    const { payload } = this
    const isWhole = payload === null || typeof payload === 'string' || Buffer.isBuffer(payload)
    return (isWhole && !this.hijacked) || this.exchange.isOver
  }

  /** Sends the response. */
  end(): void {
    if (this.hijacked) return
    const { payload } = this
    if (payload === null || typeof payload === 'string' || Buffer.isBuffer(payload)) {
      const length = Buffer.byteLength(payload ?? '')
      // These two have no body, whatever they are given.
      if (this.statusCode !== 204 && this.statusCode !== 304) this.header('content-length', length)
      this.exchange.send({ status: this.statusCode, headers: this.#headers, payload, length })
      return
    }
    this.exchange.stream({ status: this.statusCode, headers: this.#headers }, payload)
  }
}

export const JSON_UTF8 = 'application/json; charset=utf-8'

export function sendJson(reply: Reply, status: number, text: string): Reply {
  return reply.code(status).header('content-type', JSON_UTF8).send(text)
}

const PLAIN = /^[\t\x20-\x7e]*$/

/** The same head as Node would write; undefined if it is not made of plain ASCII, which Node then encodes or refuses. */
export function responseHead({ status, headers }: WholeAnswer, keepAlive: string): string | undefined {
  let head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`
  let isKept = true
  for (let at = 0; at < headers.length; at += 2) {
    const [name, value] = [headers[at], headers[at + 1]]
    if (typeof value !== 'number' && (typeof value !== 'string' || !PLAIN.test(value))) return undefined
    if (name === 'connection') isKept = false
    head += `${name}: ${value}\r\n`
  }
  return `${head}Date: ${dateNow()}\r\n${isKept ? keepAlive : ''}\r\n`
}

let lastSecond = 0
let lastDate = ''

export function dateNow(): string {
  const now = Date.now()
  const second = Math.floor(now / 1000)
  if (second !== lastSecond) {
    lastSecond = second
    lastDate = new Date(now).toUTCString()
  }
  return lastDate
}
