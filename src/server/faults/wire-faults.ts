import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import type { Contract } from '../../contract/decisions.ts'
import { type ErrorCode, rejection, renderError } from '../../contract/errors.ts'
import { operationNames } from '../../contract/operations.ts'
import { draw, type FaultPlan, type HttpFault, isInEffect } from '../../domain/faults.ts'
import { type Count, countMatch, firstMatch, UNCOUNTED } from '../../domain/match-limits.ts'
import type { AccountRuntime } from '../../engine/account/open-runtime.ts'
import { NO_ANSWER } from '../cluster/forwarding-headers.ts'
import { JSON_UTF8, type Reply, sendJson } from '../http/reply.ts'
import type { Request } from '../http/request.ts'

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

  /** Resolves with true if the fault has answered the call, so that its work must not be done. */
  before(request: Request, reply: Reply): Promise<boolean> | undefined {
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
    if (fault.type === 'latency') return wait(box.delayOf(fault), false)
    // A fault that changes a body gets a neutral one.
    sendJson(reply, 200, '{"object":"payment_intent"}')
    return this.#inject(fault, box, request, reply).then(() => true)
  }

  after(request: Request, reply: Reply): Promise<void> | undefined {
    const { fault, runtime } = request
    return fault && runtime ? this.#inject(fault, this.boxes.of(runtime), request, reply) : undefined
  }

  async #inject(fault: HttpFault, box: FaultBox, request: Request, reply: Reply): Promise<void> {
    const text = String(reply.payload ?? '')
    const delayMs = () => box.delayOf(fault)
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
  if (request.isForwarded) {
    reply.code(502).header(NO_ANSWER, 'reset').send()
    return
  }
  reply.hijack()
  request.exchange.socket.resetAndDestroy()
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

/** The number of chunks of a dripping answer, over which its delay is spread. */
const DRIPS = 10

/** The error code that fits an injected status. */
const CODES: Record<number, ErrorCode> = { 429: 'rate_limited', 503: 'service_unavailable' }

async function* slowly(text: string, gapMs: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text)
  const size = Math.max(1, Math.ceil(bytes.length / DRIPS))
  for (let at = 0; at < bytes.length; at += size) {
    await wait(gapMs)
    yield bytes.subarray(at, at + size)
  }
}

const drip = (text: string, gapMs: number): Readable => Readable.from(slowly(text, gapMs))

/** The faults of an account's calls, with their counts since they were set or the server started. */
class FaultBox {
  #plan: FaultPlan | undefined
  #drawn = 0
  readonly #counts = new Map<number, Count>()

  constructor(private readonly runtime: AccountRuntime) {}

  /** Whether no call has a fault. */
  get isEmpty(): boolean {
    return this.#current().http.length === 0
  }

  /** The fault for a call of the operation with these names, if any. */
  next(names: readonly string[]): HttpFault | undefined {
    const { http } = this.#current()
    const { now } = this.runtime.account
    const fits = ({ on, window }: HttpFault) => (on === '*' || names.includes(on)) && isInEffect(window, now)
    const match = firstMatch(http, fits, this.#counts, this.chance)
    countMatch(this.#counts, match)
    return match.taken
  }

  delayOf(fault: HttpFault): number {
    return draw(fault.delay, this.chance)
  }

  /** How often each fault happened, in the order in which they were given. */
  used(): number[] {
    const { data } = this.#current()
    const { faultCounts } = this.runtime.account.world
    let [calls, webhooks] = [0, 0]
    return data.map(({ on }) => {
      const count = on === 'webhook' ? faultCounts.get(webhooks++) : this.#counts.get(calls++)
      return (count ?? UNCOUNTED).used
    })
  }

  /** The same seed and the same calls get the same faults. */
  readonly chance = (): number => this.runtime.account.chance(`fault ${this.#drawn++}`)

  #current(): FaultPlan {
    const { faults } = this.runtime.account.world
    if (faults !== this.#plan) {
      this.#plan = faults
      this.#drawn = 0
      this.#counts.clear()
    }
    return faults
  }
}

export class FaultBoxes {
  readonly #boxes = new WeakMap<AccountRuntime, FaultBox>()

  of(runtime: AccountRuntime): FaultBox {
    let box = this.#boxes.get(runtime)
    if (!box) {
      box = new FaultBox(runtime)
      this.#boxes.set(runtime, box)
    }
    return box
  }
}
