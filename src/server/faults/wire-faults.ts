import { Readable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import type { FaultCondition, HoldRecord, HoldRelease } from '../../contract/control/faults.ts'
import type { Contract } from '../../contract/decisions.ts'
import { type ErrorCode, rejection, renderError } from '../../contract/errors.ts'
import { operationNames } from '../../contract/operations.ts'
import { urlWithoutSecrets } from '../../contract/redact.ts'
import { draw, type FaultPlan, type HttpFault, isInEffect } from '../../domain/faults.ts'
import {
  type Count,
  continueCounts,
  countMatch,
  firstMatch,
  RateLimit,
  UNCOUNTED,
} from '../../domain/match-limits.ts'
import {
  compileCondition,
  type Facts,
  paymentFacts,
  payoutFacts,
  requestedFacts,
  type Test,
} from '../../domain/rules/condition.ts'
import type { AccountRuntime } from '../../engine/account/open-runtime.ts'
import { type Holds, holdId, type Letting } from '../../engine/holds.ts'
import { NO_ANSWER } from '../cluster/forwarding-headers.ts'
import { canBeReadAgain, readJson } from '../http/read-body.ts'
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
    private readonly holds: Holds,
  ) {
    this.#names = operationNames(contract)
  }

  /** Resolves with true if the fault has answered the call, so that its work must not be done. */
  before(request: Request, reply: Reply): Promise<boolean> | undefined {
    const box = request.runtime && this.boxes.of(request.runtime)
    if (!box || box.isEmpty) return undefined
    const names = this.#names.get(`${request.method} ${request.route}`) ?? []
    const subject = box.asksAbout(names) ? subjectOf(request, names) : undefined
    return subject instanceof Promise
      ? subject.then(facts => this.#strike(box.next(names, facts), box, request, reply) ?? false)
      : this.#strike(box.next(names, subject), box, request, reply)
  }

  #strike(
    fault: HttpFault | undefined,
    box: FaultBox,
    request: Request,
    reply: Reply,
  ): Promise<boolean> | undefined {
    if (!fault) return undefined
    const { type, name } = fault
    request.disturbed = {
      ...{ type, name },
      carriedOut: type === 'latency' || fault.afterCommit || needsTheAnswer(fault, request),
    }
    if (fault.afterCommit || needsTheAnswer(fault, request)) {
      request.fault = fault
      return undefined
    }
    if (fault.type === 'latency') return wait(box.delayOf(fault), false)
    if (fault.type === 'hold') return this.#holdCall(fault, request, reply)
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
      case 'hold':
        return this.#holdAnswer(fault, request, reply)
      case 'status':
        return this.#answerStatus(fault, request, reply)
      case 'rate':
        return this.#answerStatus(
          { ...fault, status: 429, retryAfterMs: box.rateOf(fault).freeInMs(performance.now()) },
          request,
          reply,
        )
      case 'reset':
        return reset(request, reply)
      case 'empty':
        reply.send('')
        return
      case 'garbage':
        reply.send(`<html>${text.slice(0, text.length / 2)}\u0000`)
        return
      case 'truncate':
        // Its head is sent now, and the log is asked for it by this.
        reply.header('request-id', request.requestId)
        return reply.breakOff(Buffer.from(text).subarray(0, text.length / 2), Buffer.byteLength(text))
      case 'drip':
        reply.header('content-length', Buffer.byteLength(text)).send(drip(text, delayMs() / DRIPS))
        return
      default:
        fault.type satisfies never
    }
  }

  /** Resolves with true if the call was answered while it was held, so that it is not carried out. */
  async #holdCall(fault: HttpFault, request: Request, reply: Reply): Promise<boolean> {
    const letting = await this.#hold('call', fault, request, {
      status: null,
      body: request.exchange.text ?? null,
    })
    if (letting === null || !(letting === 'gone' || isChanged(letting))) {
      request.disturbed = letting && { type: 'hold', name: fault.name, carriedOut: true }
      return false
    }
    if (letting === 'gone') reply.code(CLIENT_GONE)
    else this.#letGo(fault, letting, request, reply)
    return true
  }

  async #holdAnswer(fault: HttpFault, request: Request, reply: Reply): Promise<void> {
    const held = { status: reply.statusCode, body: typeof reply.payload === 'string' ? reply.payload : null }
    const letting = await this.#hold('answer', fault, request, held)
    if (letting === null) request.disturbed = null
    if (letting !== null && letting !== 'gone') this.#letGo(fault, letting, request, reply)
  }

  #letGo(fault: HttpFault, letting: HoldRelease, request: Request, reply: Reply): void {
    const { drop, status, headers = {}, body } = letting
    if (drop) return reset(request, reply)
    if (status !== undefined && status >= 400 && body === undefined)
      this.#answerStatus({ ...fault, status }, request, reply)
    if (status !== undefined) reply.code(status)
    if (body !== undefined) sendBody(body, reply)
    for (const [name, value] of Object.entries(headers)) reply.header(name.toLowerCase(), value)
  }

  async #hold(
    kind: 'call' | 'answer',
    { name: fault, holdMs }: HttpFault,
    { exchange, requestId, method, url, runtime }: Request,
    held: Pick<HoldRecord, 'status' | 'body'>,
  ): Promise<Letting | null> {
    if (!runtime) return null
    if (exchange.isOver) return 'gone'
    const request = { id: requestId, method, path: urlWithoutSecrets(url) }
    const whole = { id: holdId(requestId), kind, fault, request, delivery: null, ...held }
    const whenGone = (listener: () => void) => exchange.whenGone(listener)
    return (await this.holds.hold(runtime.account.id, whole, holdMs, whenGone)) ?? null
  }

  #answerStatus({ status, body, retryAfterMs, rate }: HttpFault, request: Request, reply: Reply): void {
    reply.code(status)
    if (retryAfterMs !== null) reply.header('retry-after', Math.ceil(retryAfterMs / 1000))
    if (body === undefined) {
      const code = CODES[status] ?? 'internal_error'
      const why = rate ? `allows ${rate.limit} calls in ${rate.per}` : `returns ${status}`
      const reason = { ...rejection(code, `A fault that you set ${why}`), status }
      const rendered = renderError(this.contract, reason, request.requestId)
      reply.header('content-type', rendered.contentType).send(rendered.body)
      return
    }
    sendBody(body, reply)
  }
}

function sendBody(body: unknown, reply: Reply): void {
  const isText = typeof body === 'string'
  reply.header('content-type', isText ? 'text/plain; charset=utf-8' : JSON_UTF8)
  reply.send(isText ? body : JSON.stringify(body))
}

const isChanged = ({ drop, status, headers, body }: HoldRelease) =>
  drop === true || status !== undefined || headers !== undefined || body !== undefined

/** The payment or payout that a call is about: what a create asks for, or the record in its path. */
function subjectOf(
  request: Request,
  names: readonly string[],
): Facts | undefined | Promise<Facts | undefined> {
  const { runtime, params } = request
  if (!runtime) return undefined
  const { environment, world } = runtime.account
  if (names.includes('POST /payment_intents')) return asked(request, environment)
  const { id = '' } = params
  const payment = world.payments.get(id)
  if (payment) return paymentFacts(payment, payment.route, environment)
  const payout = world.payouts.get(id)
  return payout && payoutFacts(payout, environment)
}

/** No fault is about a body that cannot be read: its own problem is the answer. */
async function asked({ exchange }: Request, environment: string): Promise<Facts | undefined> {
  try {
    return requestedFacts(await readJson(exchange), environment)
  } catch (cause) {
    if (!canBeReadAgain(exchange)) throw cause
    return undefined
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
  rate: 'untouched',
  hold: 'untouched',
}

/** The status in the log of a call whose caller went away while it was held, as nginx has it. */
const CLIENT_GONE = 499

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
  #counts = new Map<number, Count>()
  readonly #tests = new WeakMap<FaultCondition, Test>()
  readonly #rates = new WeakMap<object, RateLimit>()

  constructor(private readonly runtime: AccountRuntime) {}

  /** Whether no call has a fault. */
  get isEmpty(): boolean {
    return this.#current().http.every(({ off }) => off)
  }

  /** Whether a fault for the operation with these names depends on what the call is about. */
  asksAbout(names: readonly string[]): boolean {
    return this.#current().http.some(({ off, on, match }) => !off && match !== null && isFor(on, names))
  }

  /** The fault for a call of the operation with these names, if any. */
  next(names: readonly string[], subject: Facts | undefined): HttpFault | undefined {
    const { http } = this.#current()
    const { now } = this.runtime.account
    const fits = (fault: HttpFault) =>
      isFor(fault.on, names) &&
      isInEffect(fault.window, now) &&
      (fault.match === null || (subject !== undefined && this.#testOf(fault.match)(subject))) &&
      (fault.rate === null || !this.rateOf(fault).allows(performance.now()))
    const match = firstMatch(http, fits, this.#counts, this.chance)
    countMatch(this.#counts, match)
    return match.taken
  }

  #testOf(condition: FaultCondition): Test {
    const known = this.#tests.get(condition) ?? callTest(condition)
    this.#tests.set(condition, known)
    return known
  }

  rateOf(fault: HttpFault): RateLimit {
    const { limit, perMs } = fault.rate ?? { limit: 1, perMs: 0 }
    const known = this.#rates.get(fault.lineage) ?? new RateLimit(limit, perMs)
    this.#rates.set(fault.lineage, known)
    return known
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
      this.#continue(faults.http, this.#plan?.http ?? [])
      this.#plan = faults
    }
    return faults
  }

  /** A fault that continues an earlier one keeps its counts. The random choices start again if none does. */
  #continue(http: readonly HttpFault[], before: readonly HttpFault[]): void {
    const continued = http.map(({ lineage }) => {
      const was = before.findIndex(fault => fault.lineage === lineage)
      return was === -1 ? null : was
    })
    this.#counts = continueCounts(this.#counts, continued)
    if (continued.every(was => was === null)) this.#drawn = 0
  }
}

/** A call says `payment_method` where a rule says `method`. */
function callTest({ type: _, payment_method, ...condition }: FaultCondition): Test {
  const holds = compileCondition(condition)
  if (payment_method === undefined) return holds
  const isMethod = compileCondition({ method: payment_method })
  return facts => holds(facts) && isMethod(facts)
}

const isFor = (on: string, names: readonly string[]) => on === '*' || names.includes(on)

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
