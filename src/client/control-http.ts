import { join, readBaseUrl } from './address.ts'
import { answerOf } from './answer.ts'
import type { Answer } from './answer-type.ts'
import { archiveBody } from './archive-body.ts'
import { Call } from './call.ts'
import { callSite, withCallSite } from './call-site.ts'
import { answerProblem } from './control-answers.ts'
import { ControlError, ControlUnreachableError } from './control-error.ts'
import { type ControlTransport, controlTransport, unreachable } from './control-transport.ts'
import { type AnswerLimits, limitedBody } from './limited-body.ts'
import type { OpenAnswer, Upload, WireRequest } from './transport/transport.ts'

export interface ControlAddress {
  /** The URL up to and including `/_paysim`. */
  readonly controlUrl: string
  readonly token: string
}

/** All records of an account may be in one answer. */
const LONGEST_ANSWER: AnswerLimits = { bytes: 256 * 1024 * 1024, ms: 60_000 }
/** An archive is written to a file as it arrives. */
const LONGEST_ARCHIVE: AnswerLimits = { bytes: 2 * 1024 * 1024 * 1024, ms: 600_000 }
const LONGEST_READ_MS = 60_000
/** An advance may take long. */
const LONGEST_CHANGE_MS = 3_600_000

export interface ControlSettings {
  readonly transport?: ControlTransport
  /** Replaces the limits of all answers. Only tests need this. */
  readonly limits?: AnswerLimits
  /** Aborts all calls in progress. */
  readonly signal?: AbortSignal
}

export interface ControlCallOptions {
  /** Sent as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly upload?: Upload | Promise<Upload>
  readonly signal?: AbortSignal | undefined
}

export interface ListBody<T> {
  data: T[]
  /** For lists that have pages. */
  has_more?: boolean
  next_cursor?: string | null
  /** For a history: the number of the oldest entry that is kept, if it is not the first. */
  kept_from?: number
}

type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE'

/** Calls of the control surface, on separate connections, which close with it. */
export class ControlHttp {
  readonly #address: ControlAddress
  readonly #transport: ControlTransport
  readonly #signal: AbortSignal | undefined
  readonly #limits: AnswerLimits | undefined

  constructor(
    address: ControlAddress,
    { transport = controlTransport(), signal, limits }: ControlSettings = {},
  ) {
    this.#address = address
    this.#transport = transport
    this.#signal = signal
    this.#limits = limits
  }

  /** The parsed body of a success; undefined if there is none. */
  json<T>(method: Method, path: string, options: ControlCallOptions = {}): Call<T> {
    return new Call(withCallSite(callSite(), this.#json<T>(method, path, options)))
  }

  /** Awaiting it gives the records of a list; its answer is the list itself. */
  list<T>(path: string): Call<T[], ListBody<T>> {
    return new Call(
      withCallSite(callSite(), this.#json<ListBody<T>>('GET', path, {})),
      undefined,
      ({ data }) => data,
    )
  }

  async #json<T>(method: Method, path: string, options: ControlCallOptions): Promise<Answer<T>> {
    const opened = await this.#open(method, path, options)
    const answer = await this.#read(opened, method, options)
    if (answer.body === undefined && answer.text !== '')
      throw new ControlUnreachableError(
        `${method} ${path} was not answered with JSON: ${answer.text.slice(0, 100)}`,
      )
    const problem = answerProblem(method, path, answer.body)
    if (problem !== undefined) throw foreign(method, path, problem)
    return answer as Answer<T>
  }

  async text(path: string): Promise<string> {
    return (await this.bytes(path, 'text/plain')).toString('utf8')
  }

  /** `media` is how the content type of the answer must begin. */
  async bytes(path: string, media: 'image/' | 'text/plain'): Promise<Buffer> {
    const { body, headers } = await this.#open('GET', path, {})
    demandMedia(path, headers, media)
    return this.#whole(body, 'GET', {})
  }

  /** The body of a success as it arrives: an archive, or a stream of events, which does not end. */
  async open(
    path: string,
    kind: 'archive' | 'stream',
    options: ControlCallOptions = {},
  ): Promise<OpenAnswer['body']> {
    const { body, headers } = await this.#open('GET', path, options)
    if (kind === 'stream') demandMedia(path, headers, 'text/event-stream')
    return kind === 'stream' ? body : archiveBody(this.#limited(body, LONGEST_ARCHIVE), `GET ${path}`)
  }

  #limited(body: OpenAnswer['body'], limits: AnswerLimits): OpenAnswer['body'] {
    return limitedBody(body, this.#limits ?? limits, new URL(this.#address.controlUrl).origin)
  }

  /** A success, with its body not read yet. */
  async #open(method: Method, path: string, options: ControlCallOptions): Promise<OpenAnswer> {
    const request = await this.#onTheWire(method, path, options)
    const answer = await this.#transport.open(request, {
      signal: options.signal ?? this.#signal,
      longestMs: this.#limits?.ms ?? (method === 'GET' ? LONGEST_READ_MS : LONGEST_CHANGE_MS),
    })
    if (answer.status < 300) return answer
    throw new ControlError(`${method} ${path}`, await this.#read(answer, method, options))
  }

  async #read({ status, headers, body }: OpenAnswer, method: Method, options: ControlCallOptions) {
    const text = (await this.#whole(body, method, options)).toString('utf8')
    return answerOf({ status, headers, text }, 1)
  }

  async #whole(
    body: OpenAnswer['body'],
    method: Method,
    { signal = this.#signal }: ControlCallOptions,
  ): Promise<Buffer> {
    try {
      const chunks: Buffer[] = []
      for await (const chunk of this.#limited(body, LONGEST_ANSWER)) chunks.push(chunk)
      return Buffer.concat(chunks)
    } catch (cause) {
      if (signal?.aborted) throw signal.reason
      if (cause instanceof ControlUnreachableError) throw cause
      throw unreachable(cause, this.#address.controlUrl, { method, sent: true })
    }
  }

  async #onTheWire(
    method: Method,
    path: string,
    { body, upload, headers }: ControlCallOptions,
  ): Promise<WireRequest> {
    const address = readBaseUrl(this.#address.controlUrl)
    const payload = (await upload) ?? (body === undefined ? undefined : JSON.stringify(body))
    return {
      method,
      origin: address.origin,
      path: join(address, path),
      headers: {
        ...headers,
        authorization: `Bearer ${this.#address.token}`,
        ...(typeof payload === 'string'
          ? { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(payload)) }
          : {}),
      },
      ...(payload === undefined ? {} : { body: payload }),
    }
  }

  close(): Promise<void> {
    return this.#transport.close()
  }
}

function demandMedia(path: string, headers: OpenAnswer['headers'], media: string): void {
  const type = headers['content-type'] ?? 'of no type'
  if (!type.startsWith(media)) throw foreign('GET', path, `it is ${type}, not ${media.replace(/\/$/, '')}`)
}

const foreign = (method: Method, path: string, problem: string) =>
  new ControlUnreachableError(
    `${method} ${path} was not answered by paysim: ${problem}; is it a control surface, and of this version?`,
  )
