import { fileURLToPath } from 'node:url'
import { lowerCased } from '../contract/wire-answer.ts'
import { type Address, join, type Query } from './address.ts'
import { accept, answerOf } from './answer.ts'
import type { Expected } from './answer-shape.ts'
import { Call } from './call.ts'
import { type Credentials, redactHeaders } from './credentials.ts'
import {
  isRead,
  type Outcome,
  pauseAfter,
  type Repeatability,
  type RetryPolicy,
  type Sleep,
} from './retry.ts'
import type { Answer, Transport, Upload, WireRequest } from './transport/transport.ts'

export interface CallRequest {
  readonly method: string
  /** Already encoded, relative to the base URL. */
  readonly path: string
  readonly query?: Query | undefined
  /** Sent as JSON; a string is sent as it is. */
  readonly body?: unknown
  readonly upload?: Upload
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly idempotencyKey?: string | undefined
  /** It is safe to repeat, although it is not a read and has no key. */
  readonly repeatable?: boolean
  /** Whether a success may have no body. */
  readonly bodiless?: boolean
  /** The expected answer; any JSON by default. */
  readonly expected?: Expected | undefined
  readonly signal?: AbortSignal | undefined
}

/** One attempt of a call for a request log, without secrets. */
export interface RequestRecord {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly attempt: number
  readonly durationMs: number
  /** Missing if there was no answer. */
  readonly status?: number
  readonly requestId?: string
  readonly problem?: string
  /** Present if another attempt follows. */
  readonly retryInMs?: number
}

interface CallerSettings {
  readonly address: Address
  readonly credentials: Credentials
  readonly transport: Transport
  readonly policy: RetryPolicy
  readonly userAgent: string
  /** Whether to check answers against the whole contract. */
  readonly strict: boolean
  readonly sleep: Sleep
  readonly onRequest?: ((record: RequestRecord) => void) | undefined
}

/** Makes authenticated calls, and repeats them if that is safe. */
export class Caller {
  readonly #settings: CallerSettings

  constructor(settings: CallerSettings) {
    this.#settings = settings
  }

  call<T>(request: CallRequest): Call<T> {
    // The other members are not checked: unknown fields and values pass through.
    return new Call(
      withCallSite(callSite(), this.#answer(request)) as Promise<Answer<T>>,
      request.idempotencyKey,
    )
  }

  async #answer(request: CallRequest): Promise<Answer> {
    const { policy, sleep, credentials, strict } = this.#settings
    const wire = this.#onTheWire(request)
    const may = repeatability(wire, request)
    for (let attempt = 1; ; attempt++) {
      request.signal?.throwIfAborted()
      const startedAt = performance.now()
      const outcome = await this.#attempt(wire, attempt, request.signal)
      const pause = pauseAfter(outcome, attempt, policy, may)
      this.#report(wire, attempt, performance.now() - startedAt, outcome, pause)
      if (pause !== null) {
        await sleep(pause, request.signal)
        continue
      }
      if ('error' in outcome) throw outcome.error
      return accept(outcome.answer, {
        call: `${wire.method} ${request.path}`,
        isRead: isRead(wire.method),
        bodiless: request.bodiless ?? false,
        expected: request.expected,
        strict,
        hide: credentials.hide,
      })
    }
  }

  async #attempt(wire: WireRequest, attempt: number, signal?: AbortSignal): Promise<Outcome> {
    try {
      return { answer: answerOf(await this.#settings.transport.send(wire, signal), attempt) }
    } catch (error) {
      return { error }
    }
  }

  #onTheWire({ method, path, query, body, upload, headers, idempotencyKey }: CallRequest): WireRequest {
    const { address, credentials, userAgent } = this.#settings
    const payload = upload ?? (body === undefined || typeof body === 'string' ? body : JSON.stringify(body))
    const sent: Record<string, string> = {
      accept: 'application/json, application/problem+json',
      'accept-encoding': 'identity',
      'user-agent': userAgent,
    }
    if (typeof payload === 'string') sent['content-type'] = 'application/json'
    if (idempotencyKey !== undefined) sent['idempotency-key'] = idempotencyKey
    if (headers) Object.assign(sent, lowerCased(headers))
    sent.authorization = credentials.authorization
    return {
      method: method.toUpperCase(),
      origin: address.origin,
      path: join(address, path, query),
      headers: sent,
      body: payload,
    }
  }

  #report(wire: WireRequest, attempt: number, durationMs: number, outcome: Outcome, pause: number | null) {
    const { onRequest, credentials } = this.#settings
    if (!onRequest) return
    const { method, origin, path, headers } = wire
    const answer = 'answer' in outcome ? outcome.answer : undefined
    onRequest({
      method,
      url: `${origin}${path}`,
      headers: redactHeaders(headers),
      attempt,
      durationMs,
      ...(answer ? { status: answer.status } : {}),
      ...(answer?.requestId === undefined ? {} : { requestId: answer.requestId }),
      ...('error' in outcome ? { problem: credentials.hide(String(outcome.error)) } : {}),
      ...(pause === null ? {} : { retryInMs: pause }),
    })
  }
}

function repeatability(wire: WireRequest, request: CallRequest): Repeatability {
  const keyed = wire.headers['idempotency-key'] !== undefined
  return { keyed, repeatable: keyed || isRead(wire.method) || request.repeatable === true }
}

/** The location of this package: stack traces have its URL, or its path if a test runner rewrote them. */
const ADDRESS = import.meta.url.replace(/\/(dist|src)\/.*$/, '/$1/')
const PATH = fileURLToPath(ADDRESS)
const isOwn = (frame: string) => frame.includes(ADDRESS) || frame.includes(PATH)

/** Writes out where a call was made. */
type CallSite = () => string

/**
 * Where a call was made, for the stack of later errors. An error after an answer has only our own frames, but a test
 * runner should show the line of the test.
 */
export function callSite(): CallSite {
  const held: { stack?: string } = {}
  const limit = Error.stackTraceLimit
  // Our own frames come first and use up the limit.
  Error.stackTraceLimit = limit + 10
  Error.captureStackTrace(held, callSite)
  Error.stackTraceLimit = limit
  return () => {
    // The frames are written out only now: most calls succeed, and to write them out takes longer than to keep them.
    const frames = (held.stack ?? '').split('\n').slice(1)
    const first = frames.findIndex(frame => !isOwn(frame))
    return first < 0 ? '' : frames.slice(first).join('\n')
  }
}

/** The same error with the stack of the call. */
function addCallSite(site: string, error: unknown): unknown {
  if (error instanceof Error && site !== '') error.stack = `${error.name}: ${error.message}\n${site}`
  return error
}

/** A promise whose errors have the stack of the call. */
export function withCallSite<T>(site: CallSite, promise: Promise<T>): Promise<T> {
  return promise.catch(error => {
    throw addCallSite(site(), error)
  })
}
