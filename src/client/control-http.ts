import { Agent, type Dispatcher, FormData, request } from 'undici'
import { ControlFault, ControlUnreachable } from './control-fault.ts'

export interface ControlAddress {
  /** Up to and with `/_paysim`. */
  readonly controlUrl: string
  readonly token: string
}

export interface ControlCallOptions {
  readonly body?: unknown
  readonly form?: FormData
  readonly signal?: AbortSignal | undefined
}

type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE'

/** Calls of the control surface, on connections of their own: they end when it is closed. */
export class ControlHttp {
  readonly #base: string
  readonly #token: string
  // An advance over many deliveries answers when they are done: how long that takes is not ours to say.
  readonly #agent = new Agent({ headersTimeout: 0, bodyTimeout: 0 })

  constructor({ controlUrl, token }: ControlAddress) {
    this.#base = controlUrl.replace(/\/+$/, '')
    this.#token = token
  }

  /** The body of a success, parsed; undefined where there is none. */
  async json<T>(method: Method, path: string, options: ControlCallOptions = {}): Promise<T> {
    const text = await this.text(method, path, options)
    try {
      return (text === '' ? undefined : JSON.parse(text)) as T
    } catch {
      throw new ControlUnreachable(
        `${method} ${this.#base}${path} did not answer with JSON: ${text.slice(0, 100)}`,
      )
    }
  }

  async text(method: Method, path: string, options: ControlCallOptions = {}): Promise<string> {
    const { body } = await this.open(method, path, options)
    return body.text()
  }

  /** The answer of a success, its body still to be read. */
  async open(
    method: Method,
    path: string,
    { body, form, signal }: ControlCallOptions = {},
  ): Promise<Dispatcher.ResponseData> {
    const url = `${this.#base}${path}`
    const response = await request(url, {
      method,
      dispatcher: this.#agent,
      headers: {
        authorization: `Bearer ${this.#token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: form ?? (body === undefined ? null : JSON.stringify(body)),
      ...(signal ? { signal } : {}),
    }).catch((cause: unknown) => {
      if (signal?.aborted) throw cause
      const why = cause instanceof Error ? cause.message : String(cause)
      throw new ControlUnreachable(`${method} ${url}: ${why}`, { cause })
    })
    if (response.statusCode < 300) return response
    throw ControlFault.from(`${method} ${path}`, response.statusCode, await response.body.text())
  }

  async close(): Promise<void> {
    await this.#agent.destroy()
  }
}

/** One part named `file`, and the fields beside it. */
export function fileForm(
  bytes: Uint8Array,
  filename: string,
  fields: Readonly<Record<string, string | undefined>>,
): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) form.append(name, value)
  form.append('file', new Blob([bytes as Uint8Array<ArrayBuffer>]), filename)
  return form
}
