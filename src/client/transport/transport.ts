import type { Readable } from 'node:stream'

/** A request as it goes out, secrets and all. */
export interface WireRequest {
  readonly method: string
  readonly origin: string
  /** With the prefix and the query, encoded. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Upload
}

/** A file on its way. It is opened for each attempt: a stream can be read only once. */
export interface Upload {
  readonly filename: string
  readonly contentType: string
  readonly size: number
  /** Where it comes from, if that is a file. */
  readonly path?: string
  /** What stands beside it in its form; `none` where it is no part of a form, but all that is sent. */
  readonly fields?: Readonly<Record<string, string>> | 'none'
  open(): Promise<{ readonly headers: Readonly<Record<string, string>>; readonly body: Readable }>
}

export interface WireAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** The one door to the network. Whoever wants to see a request without sending it puts another in its place. */
export interface Transport {
  send(request: WireRequest, signal?: AbortSignal): Promise<WireAnswer>
  close(): Promise<void>
}

/** No answer of this API is nearly as long; what is may have no end. */
export const LONGEST_ANSWER_BYTES = 32 * 1024 * 1024

export interface TransportSettings {
  readonly origin: string
  readonly connectTimeoutMs: number
  /** How long the answer may take to begin, and then as long again to end. */
  readonly timeoutMs: number
  /** Authorities to trust in place of the usual ones, as PEM. */
  readonly ca?: string | undefined
  readonly proxy?: URL | undefined
}
