import { IncomingMessage, type ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { WireAnswer } from '../../contract/wire-answer.ts'
import { Chunks, type Exchange, type WholeAnswer } from './exchange.ts'

/** A call that the process of the server makes itself, with the headers and the body that it would send. */
export interface LocalRequest {
  readonly method: string
  readonly path: string
  /** Names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | undefined
}

/** An exchange without a connection. The caller gets its answer when that is whole. */
export class LocalExchange implements Exchange {
  readonly method: string
  readonly url: string
  readonly authority = undefined
  readonly headers: Readonly<Record<string, string>>
  readonly rawHeaders: string[] = []
  readonly chunks = new Chunks()
  readonly raw = undefined
  text: string | undefined
  isOver = false
  /** Whether there will be an answer. */
  isAnswered = false
  #incoming: IncomingMessage | undefined

  constructor(
    { method, path, headers, body }: LocalRequest,
    private readonly answer: (answer: WireAnswer | undefined) => void,
  ) {
    this.method = method
    this.url = path
    this.headers = { host: 'localhost', ...headers }
    for (const name in this.headers) this.rawHeaders.push(name, this.headers[name] ?? '')
    if (body) this.chunks.add(Buffer.from(body))
  }

  send({ status, headers, payload }: WholeAnswer): void {
    this.isAnswered = true
    this.#answer(status, headers, String(payload ?? ''))
  }

  stream({ status, headers }: Pick<WholeAnswer, 'status' | 'headers'>, payload: Readable): void {
    this.isAnswered = true
    text(payload).then(
      whole => this.#answer(status, headers, whole),
      () => this.answer(undefined),
    )
  }

  #answer(status: number, headers: WholeAnswer['headers'], whole: string): void {
    this.isOver = true
    const given: Record<string, string> = {}
    for (let at = 0; at < headers.length; at += 2) given[String(headers[at])] = String(headers[at + 1])
    this.answer({ status, headers: given, text: whole })
  }

  get incoming(): IncomingMessage {
    this.#incoming ??= messageOf(this)
    return this.#incoming
  }

  get outgoing(): ServerResponse {
    throw new Error('an answer that never ends needs a connection')
  }

  get socket(): Socket {
    return this.incoming.socket
  }

  /** All of it is here. */
  allowLong(): void {}

  /** The caller is this process. */
  whenGone(): () => void {
    return () => {}
  }
}

/** A whole request, as Node's server would have read it. */
export function messageOf(
  {
    method,
    url,
    headers,
    rawHeaders,
    chunks,
  }: Pick<Exchange, 'method' | 'url' | 'headers' | 'rawHeaders'> & {
    chunks: Chunks
  },
  socket = new Socket(),
): IncomingMessage {
  const incoming = Object.assign(new IncomingMessage(socket), {
    httpVersion: '1.1',
    httpVersionMajor: 1,
    httpVersionMinor: 1,
    method,
    url,
    headers: { ...headers },
    rawHeaders: [...rawHeaders],
    complete: true,
  })
  for (const chunk of chunks.all) incoming.push(chunk)
  incoming.push(null)
  return incoming
}
