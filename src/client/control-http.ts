import { join, readBaseUrl } from './address.ts'
import { answerOf } from './answer.ts'
import type { Answer } from './answer-type.ts'
import { Call } from './call.ts'
import { callSite, pointing } from './call-site.ts'
import { type ControlDoor, controlDoor, type OpenAnswer, unreachable } from './control-door.ts'
import { ControlError, ControlUnreachableError } from './control-error.ts'
import type { Upload, WireRequest } from './transport/transport.ts'

export interface ControlAddress {
  /** Up to and with `/_paysim`. */
  readonly controlUrl: string
  readonly token: string
}

export interface ControlSettings {
  readonly door?: ControlDoor
  /** Ends every call that is under way. */
  readonly signal?: AbortSignal
}

export interface ControlCallOptions {
  /** Sent as JSON. */
  readonly body?: unknown
  readonly upload?: Upload | Promise<Upload>
  readonly signal?: AbortSignal | undefined
}

export interface ListBody<T> {
  data: T[]
  /** Of those lists that come in pages. */
  has_more?: boolean
  next_cursor?: string | null
}

type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE'

/** Calls of the control surface, on connections of their own: they end when it is closed. */
export class ControlHttp {
  readonly #address: ControlAddress
  readonly #door: ControlDoor
  readonly #signal: AbortSignal | undefined

  constructor(address: ControlAddress, { door = controlDoor(), signal }: ControlSettings = {}) {
    this.#address = address
    this.#door = door
    this.#signal = signal
  }

  /** The body of a success, parsed; undefined where there is none. */
  json<T>(method: Method, path: string, options: ControlCallOptions = {}): Call<T> {
    return new Call(pointing(callSite(), this.#json<T>(method, path, options)))
  }

  /** Awaited, the records of a list; its answer is the list as it came. */
  list<T>(path: string): Call<T[], ListBody<T>> {
    return new Call(
      pointing(callSite(), this.#json<ListBody<T>>('GET', path, {})),
      undefined,
      ({ data }) => data,
    )
  }

  async #json<T>(method: Method, path: string, options: ControlCallOptions): Promise<Answer<T>> {
    const opened = await this.open(method, path, options)
    const answer = await this.#read(opened, method, options)
    if (answer.body === undefined && answer.text !== '')
      throw new ControlUnreachableError(
        `${method} ${path} was not answered with JSON: ${answer.text.slice(0, 100)}`,
      )
    return answer as Answer<T>
  }

  async text(path: string): Promise<string> {
    return (await this.bytes(path)).toString('utf8')
  }

  async bytes(path: string): Promise<Buffer> {
    const { body } = await this.open('GET', path)
    return this.#whole(body, 'GET', {})
  }

  /** The answer of a success, its body still to be read. */
  async open(method: Method, path: string, options: ControlCallOptions = {}): Promise<OpenAnswer> {
    const request = await this.#onTheWire(method, path, options)
    const answer = await this.#door.open(request, options.signal ?? this.#signal)
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
      for await (const chunk of body) chunks.push(chunk)
      return Buffer.concat(chunks)
    } catch (cause) {
      if (signal?.aborted) throw signal.reason
      throw unreachable(cause, this.#address.controlUrl, { method, sent: true })
    }
  }

  async #onTheWire(method: Method, path: string, { body, upload }: ControlCallOptions): Promise<WireRequest> {
    const address = readBaseUrl(this.#address.controlUrl)
    const payload = (await upload) ?? (body === undefined ? undefined : JSON.stringify(body))
    return {
      method,
      origin: address.origin,
      path: join(address, path),
      headers: {
        authorization: `Bearer ${this.#address.token}`,
        ...(typeof payload === 'string'
          ? { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(payload)) }
          : {}),
      },
      ...(payload === undefined ? {} : { body: payload }),
    }
  }

  close(): Promise<void> {
    return this.#door.close()
  }
}
