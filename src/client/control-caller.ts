import type { Readable } from 'node:stream'
import {
  type AnswerTo,
  type AnyInput,
  type InputOf,
  type JsonCall,
  type MediaCall,
  requestLine,
} from '../contract/control/call.ts'
import type { ControlCall } from '../contract/control/operations.ts'
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

interface Sending {
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly upload?: Upload | Promise<Upload> | undefined
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

/** A call on its way. */
interface Sent extends Sending {
  readonly call: ControlCall
  readonly method: string
  readonly path: string
  readonly body?: unknown
}

/** The types of an input are checked where it is given. */
function sent(call: ControlCall, input: unknown, sending: Sending = {}): Sent {
  const { body, ...where } = (input ?? {}) as AnyInput
  return { ...requestLine(call, where), call, body, ...sending }
}

/** Calls of the control surface, on separate connections, which close with it. */
export class ControlCaller {
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

  /** Gives the parsed body of a success; undefined if there is none. */
  call<C extends JsonCall>(call: C, ...[input]: InputOf<C>): Call<AnswerTo<C>> {
    return new Call(withCallSite(callSite(), this.#json<AnswerTo<C>>(sent(call, input))))
  }

  /** A call whose body is not JSON in memory, such as a form with a file. */
  upload<C extends JsonCall>(
    call: C,
    input: Pick<AnyInput, 'params'>,
    upload: Upload | Promise<Upload>,
  ): Call<AnswerTo<C>> {
    return new Call(withCallSite(callSite(), this.#json<AnswerTo<C>>(sent(call, input, { upload }))))
  }

  /** The whole body of a success. `media` is how its content type must begin. */
  async bytes<C extends MediaCall>(
    call: C,
    media: 'image/' | 'text/plain',
    ...[input]: InputOf<C>
  ): Promise<Buffer> {
    const request = sent(call, input)
    const { body, headers } = await this.#open(request)
    demandMedia(request, headers, media)
    return this.#whole(body, request)
  }

  /** A stream of events as they arrive. It does not end. */
  async stream<C extends MediaCall>(
    call: C,
    sending: Pick<Sending, 'signal' | 'headers'>,
    ...[input]: InputOf<C>
  ) {
    const request = sent(call, input, sending)
    const { body, headers } = await this.#open(request)
    demandMedia(request, headers, 'text/event-stream')
    return body
  }

  /** An archive as it arrives, because it may be larger than the longest string. */
  async archive(account: string): Promise<Readable> {
    const request = sent('GET /accounts/:account/export', { params: { account } })
    const { body } = await this.#open(request)
    return archiveBody(this.#limited(body, LONGEST_ARCHIVE), lineOf(request))
  }

  async #json<T>(request: Sent): Promise<Answer<T>> {
    const answer = await this.#read(await this.#open(request), request)
    if (answer.body === undefined && answer.text !== '')
      throw new ControlUnreachableError(
        `${lineOf(request)} was not answered with JSON: ${answer.text.slice(0, 100)}`,
      )
    const problem = answerProblem(request.call, answer.body)
    if (problem !== undefined) throw foreign(request, problem)
    return answer as Answer<T>
  }

  #limited(body: OpenAnswer['body'], limits: AnswerLimits): OpenAnswer['body'] {
    return limitedBody(body, this.#limits ?? limits, new URL(this.#address.controlUrl).origin)
  }

  /** A success, with its body not read yet. */
  async #open(request: Sent): Promise<OpenAnswer> {
    const answer = await this.#transport.open(await this.#onTheWire(request), {
      signal: request.signal ?? this.#signal,
      longestMs: this.#limits?.ms ?? (request.method === 'GET' ? LONGEST_READ_MS : LONGEST_CHANGE_MS),
    })
    if (answer.status < 300) return answer
    throw new ControlError(lineOf(request), await this.#read(answer, request))
  }

  async #read({ status, headers, body }: OpenAnswer, request: Sent) {
    const text = (await this.#whole(body, request)).toString('utf8')
    return answerOf({ status, headers, text }, 1)
  }

  async #whole(body: OpenAnswer['body'], { method, signal = this.#signal }: Sent): Promise<Buffer> {
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

  async #onTheWire({ method, path, body, upload, headers }: Sent): Promise<WireRequest> {
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

const lineOf = ({ method, path }: Sent) => `${method} ${path}`

function demandMedia(request: Sent, headers: OpenAnswer['headers'], media: string): void {
  const type = headers['content-type'] ?? 'of no type'
  if (!type.startsWith(media)) throw foreign(request, `it is ${type}, not ${media.replace(/\/$/, '')}`)
}

const foreign = (request: Sent, problem: string) =>
  new ControlUnreachableError(
    `${lineOf(request)} was not answered by paysim: ${problem}; is it a control surface, and of this version?`,
  )
