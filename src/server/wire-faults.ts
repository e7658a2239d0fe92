import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import type { Contract } from '../contract/decisions.ts'
import { renderError } from '../contract/error-body.ts'
import { type ErrorCode, rejection } from '../contract/errors.ts'
import { operationNames } from '../contract/operations.ts'
import type { HttpFault } from '../domain/faults/fault.ts'
import { NO_ANSWER } from './cluster/handed-on.ts'
import type { FaultBoxes } from './fault-box.ts'
import type { Reply } from './http/reply.ts'
import type { Request } from './http/request.ts'
import { JSON_UTF8, runtimeOf, sendJson } from './send-json.ts'

/**
 * Applies an account's faults to calls, before the work or after it. Faults that change a body need one, so they
 * always happen after the work.
 */
export class WireFaults {
  readonly #names: ReadonlyMap<string, readonly string[]>

  constructor(
    private readonly boxes: FaultBoxes,
    private readonly contract: Contract,
  ) {
    this.#names = operationNames(contract)
  }

  before(request: Request, reply: Reply): Promise<Reply | undefined> | undefined {
    const box = request.runtime && this.boxes.of(request.runtime)
    if (!box || box.isEmpty) return undefined
    const fault = box.next(this.#names.get(`${request.method} ${request.route}`) ?? [])
    if (!fault) return undefined
    const { type } = fault
    request.disturbed = {
      type,
      carriedOut: type === 'latency' || fault.afterCommit || needsTheAnswer(fault, request),
    }
    if (fault.afterCommit || needsTheAnswer(fault, request)) {
      request.fault = fault
      return undefined
    }
    if (fault.type === 'latency') return wait(box.delayOf(fault), undefined)
    return this.#failBeforeWork(fault, request, reply)
  }

  after(request: Request, reply: Reply): Promise<void> | undefined {
    const { fault } = request
    return fault && this.#inject(fault, request, reply)
  }

  /** The fault happens before the work. A fault that changes a body gets a neutral one. */
  async #failBeforeWork(fault: HttpFault, request: Request, reply: Reply): Promise<Reply> {
    await this.#inject(fault, request, sendJson(reply, 200, '{"object":"payment_intent"}'))
    return reply
  }

  /** The work is done, and the fault affects the response. */
  async #inject(fault: HttpFault, request: Request, reply: Reply): Promise<void> {
    const text = String(reply.payload ?? '')
    const delayMs = () => this.boxes.of(runtimeOf(request)).delayOf(fault)
    switch (fault.type) {
      case 'latency':
        await wait(delayMs())
        return
      case 'status':
        return this.#answerStatus(fault, request, reply)
      case 'reset':
        return reset(request, reply)
      case 'empty':
        reply.send('')
        return
      case 'garbage':
        reply.send(`<html>${text.slice(0, text.length / 2)}\u0000`)
        return
      case 'truncate':
        return reply.breakOff(Buffer.from(text).subarray(0, text.length / 2), Buffer.byteLength(text))
      case 'drip':
        reply.header('content-length', Buffer.byteLength(text)).send(drip(text, delayMs() / DRIPS))
        return
      default:
        fault.type satisfies never
    }
  }

  #answerStatus({ status, body, retryAfterMs }: HttpFault, request: Request, reply: Reply): void {
    reply.code(status)
    if (retryAfterMs !== null) reply.header('retry-after', Math.ceil(retryAfterMs / 1000))
    if (body === undefined) {
      const code = CODES[status] ?? 'internal_error'
      const reason = { ...rejection(code, `A fault that you set returns ${status}`), status }
      const rendered = renderError(this.contract, reason, request.requestId)
      reply.header('content-type', rendered.contentType).send(rendered.body)
      return
    }
    const isText = typeof body === 'string'
    reply.header('content-type', isText ? 'text/plain; charset=utf-8' : JSON_UTF8)
    reply.send(isText ? body : JSON.stringify(body))
  }
}

function reset(request: Request, reply: Reply): void {
  // Another process has the caller's connection.
  if (request.handedOn) {
    reply.code(502).header(NO_ANSWER, 'reset').send()
    return
  }
  reply.hijack()
  request.carrier.socket.resetAndDestroy()
}

/** How each fault changes the body of the answer. */
const BODY: Readonly<Record<HttpFault['type'], 'untouched' | 'damaged' | 'slow'>> = {
  latency: 'untouched',
  status: 'untouched',
  reset: 'untouched',
  empty: 'damaged',
  truncate: 'damaged',
  garbage: 'damaged',
  drip: 'slow',
}

/** A delayed answer needs the real body. A damaged one needs it too, if the call changes nothing. */
const needsTheAnswer = ({ type }: HttpFault, { method }: Request) =>
  BODY[type] === 'slow' || (BODY[type] === 'damaged' && method === 'GET')

/** The number of pieces of a dripping answer, over which its delay is spread. */
const DRIPS = 10

/** The error code that fits an injected status. */
const CODES: Record<number, ErrorCode> = { 429: 'rate_limited', 503: 'service_unavailable' }

async function* pieces(text: string, gapMs: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text)
  const size = Math.max(1, Math.ceil(bytes.length / DRIPS))
  for (let at = 0; at < bytes.length; at += size) {
    await wait(gapMs)
    yield bytes.subarray(at, at + size)
  }
}

const drip = (text: string, gapMs: number): Readable => Readable.from(pieces(text, gapMs))
