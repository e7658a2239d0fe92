import type { Readable } from 'node:stream'
import type { WireAnswer } from '../../contract/wire-answer.ts'

/** A request as it is sent, including secrets. */
export interface WireRequest {
  readonly method: string
  readonly origin: string
  /** With prefix and query, encoded. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Upload | undefined
}

/** A file to send. It is opened for each attempt, because a stream can be read only once. */
export interface Upload {
  readonly filename: string
  readonly contentType: string
  readonly size: number
  /** The path, if it comes from a file. */
  readonly path?: string
  /** The other fields of its form; `none` if the file is the whole body. */
  readonly fields?: Readonly<Record<string, string>> | 'none'
  open(): Promise<{ readonly headers: Readonly<Record<string, string>>; readonly body: Readable }>
}

/** The start of an answer. Its body is still to come, and may never end. */
export interface OpenAnswer extends Omit<WireAnswer, 'text'> {
  readonly body: Readable
}

/** The only access to the network. Replace it to see requests without sending them. */
export interface Transport {
  send(request: WireRequest, signal?: AbortSignal): Promise<WireAnswer>
  close(): Promise<void>
}

/** No answer of this API comes near this length, so a longer one may never end. */
export const LONGEST_ANSWER_BYTES = 32 * 1024 * 1024

export interface TransportSettings {
  readonly origin: string
  readonly connectTimeoutMs: number
  /** The time limit for an answer to start, and again for it to end. */
  readonly timeoutMs: number
  /** Certificate authorities to trust instead of the default ones, as PEM. */
  readonly ca?: string | undefined
  readonly proxy?: URL | undefined
}

/** The whole answer, with its parsed body. */
export interface Answer<T = unknown> extends WireAnswer {
  readonly body: T
  readonly requestId: string | undefined
  /** The number of attempts, including this one. */
  readonly attempts: number
}
