import { Readable } from 'node:stream'
import { ArgumentError, ConnectError } from '../../client/errors.ts'
import { type NetworkOptions, openTransport } from '../../client/transport/open-transport.ts'
import type { Transport, Upload } from '../../client/transport/transport.ts'
import { parseForeign } from '../../contract/json.ts'
import { noAnswer, type ReceivedAnswer } from '../../contract/wire-answer.ts'

/** One request as it is sent. */
export interface Sent {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Buffer
}

/** A test may hold an answer back for this long. */
const TIMEOUT_MS = 300_000

/**
 * Sends each request once and returns the answer. It does not retry, and a refusal is not an error, because faults are
 * part of a scenario. It throws only if nothing listens.
 */
export class Wire {
  readonly #transports = new Map<string, Transport>()
  readonly #closing = new AbortController()
  readonly #network: NetworkOptions

  constructor(network: NetworkOptions = { timeoutMs: TIMEOUT_MS, proxy: false }) {
    this.#network = network
  }

  async send({ method, url, headers, body }: Sent): Promise<ReceivedAnswer> {
    const { origin, pathname, search } = new URL(url)
    const payload = Buffer.isBuffer(body) ? asUpload(body) : body
    const request = { method, origin, path: pathname + search, headers }
    try {
      const answer = await this.#to(origin).send(
        payload === undefined ? request : { ...request, body: payload },
        this.#closing.signal,
      )
      return { ...answer, body: parseForeign(answer.text) }
    } catch (error) {
      return noAnswer(this.#whyLost(error))
    }
  }

  #to(origin: string): Transport {
    const transport = this.#transports.get(origin) ?? openTransport(origin, this.#network)
    this.#transports.set(origin, transport)
    return transport
  }

  #whyLost(error: unknown): string {
    if (this.#closing.signal.aborted) return 'the run was stopped'
    if (error instanceof ArgumentError) return error.message
    if (!(error instanceof ConnectError) || error.code === 'ECONNREFUSED' || error.code === 'ENOTFOUND')
      throw error
    return error.code
  }

  /** Aborts all requests in progress. */
  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all([...this.#transports.values()].map(transport => transport.close()))
  }
}

function asUpload(bytes: Buffer): Upload {
  return {
    filename: '',
    contentType: '',
    size: bytes.length,
    fields: 'none',
    open: async () => ({
      headers: { 'content-length': String(bytes.length) },
      body: Readable.from([bytes]),
    }),
  }
}
