import type { HoldRelease } from '../../contract/control/faults.ts'
import { formatDuration } from '../../contract/durations.ts'
import { LIMITS, parseRetryAfter } from '../../contract/limits.ts'
import { signWebhook } from '../../contract/webhook-signature.ts'
import type { Command } from '../../domain/commands.ts'
import type { Delivery, WebhookEndpoint, WebhookEvent } from '../../domain/model.ts'
import { deliveryTimer } from '../../domain/timers.ts'
import type { Account } from '../account/account.ts'
import { type Holds, holdId, type Letting } from '../holds.ts'
import { Deadline, type Reading, type ReceiverBudget, Stopping, TooLateError } from '../time/real-time.ts'
import { inSlices, Queue, yieldToEventLoop } from '../time/scheduling.ts'
import type { WebhookSender } from './webhook-sender.ts'

type AttemptReport = Extract<Command, { type: 'RecordAttempt' }>['result']

/** Resolves when webhooks may be sent to an address; returns undefined if there is nothing to wait for. */
export type HoldWebhook = (url: string, until: AbortSignal) => Promise<void> | undefined

/**
 * How long an attempt waits for a receiver to start before it is made anyway. On a virtual clock it waits only as
 * long as for a response, because the caller of `advance` may be the one to start the receiver.
 */
const HELD_AT_MOST_MS = 60_000

/** How many requests an endpoint gets at a time. */
const AT_ONCE = 32

/** How many characters the bodies of an account's waiting attempts have. A body over this is read when it is sent. */
const MOST_BODIES = 32 * 1024 * 1024

interface StartedAttempt {
  readonly delivery: Delivery
  /** The entry that must be safe on disk first. */
  readonly seq: number
  /** Whether it was started on a clock that stands still. */
  readonly standing: boolean
  /** The body, if its entry has it. By the time that it is sent, its event may no longer be in memory. */
  readonly body: string | undefined
  /** What somebody changed who let it go. */
  readonly change: HoldRelease
  recordNow?: () => void
}

/** The attempts of one endpoint. */
interface Lane {
  readonly waiting: Queue<StartedAttempt>
  underWay: number
}

/** On a clock that stands still, an endpoint receives one event at a time, so that what it sees repeats exactly. */
const mostAtOnce = ({ standing }: StartedAttempt) => (standing ? 1 : AT_ONCE)

/** How the courier sends a request. */
interface CourierOptions {
  readonly bodyOf: (event: WebhookEvent) => string
  readonly wall: Reading
  readonly sender: WebhookSender
  readonly holds: Holds
  readonly hold?: HoldWebhook | undefined
}

/**
 * Sends an account's webhooks. An attempt starts as an entry in the journal; the courier makes the HTTP request and
 * executes a command with the result. So each event is delivered at least once, even after a crash.
 */
export class Courier {
  readonly #lanes = new Map<string, Lane>()
  /** How many attempts wait or are in progress. */
  #open = 0
  /** The characters of the bodies that are kept for them. */
  #bodies = 0
  #onIdle: (() => void)[] = []
  readonly #stopping = new Stopping()
  /** Attempts on a clock that stands still: their responses are recorded in this order, so that the journal repeats. */
  readonly #inOrder = new Queue<StartedAttempt>()
  /** The budget of the advance in progress. */
  #budget: ReceiverBudget | undefined
  /** The deadlines of attempts on a clock that stands still, with their endpoints. An advance can shorten them. */
  readonly #deadlines = new Map<Deadline, string>()
  /** The deliveries that a fault holds. They are not under way, so nothing waits for them. */
  readonly #onHold = new Set<string>()

  constructor(
    private readonly account: Account,
    private readonly options: CourierOptions,
  ) {
    account.onEntry(entry => {
      for (const event of entry.events)
        if (event.type === 'AttemptStarted') this.#begin(event.delivery, event.body)
    })
    account.onResume(() => this.resume())
    account.onReplaced(() => this.options.holds.letGo(account.id))
  }

  /** Repeats attempts that were in progress when the process or its disk failed. What was held then is let go. */
  resume(): void {
    const { deliveries, openDeliveries } = this.account.world
    for (const id of openDeliveries)
      if (deliveries.get(id)?.status === 'attempting' && !this.#onHold.has(id)) this.#send(id)
  }

  get busy(): boolean {
    return this.#open > 0
  }

  /** Limits how long receivers may take in all, as long as this is not called again. */
  limitReceivers(budget: ReceiverBudget | undefined): void {
    this.#budget = budget
    if (!budget) return
    for (const [deadline, endpoint] of this.#deadlines) deadline.endWithin(budget.allowanceMs(endpoint))
  }

  /** Resolves when no attempt is in progress. */
  async idle(): Promise<void> {
    while (this.#open > 0)
      await new Promise<void>(resolve => {
        this.#onIdle.push(resolve)
      })
  }

  async stop(): Promise<void> {
    this.#stopping.begin()
    this.options.holds.letGo(this.account.id)
    await this.idle()
  }

  #begin(id: string, body: string | undefined): void {
    if (this.#onHold.has(id)) return
    const letting = this.#hold(id, body)
    if (!letting) return this.#send(id, body)
    this.#onHold.add(id)
    void letting.then(change => {
      this.#onHold.delete(id)
      const isAwaited = isFirstAttempt(this.account.world.deliveries.get(id))
      if (isAwaited && change !== 'gone' && !this.#stopping.isBegun) this.#send(id, undefined, change)
    })
  }

  #hold(id: string, sentBody: string | undefined): Promise<Letting> | undefined {
    const { world } = this.account
    const delivery = world.deliveries.get(id)
    if (delivery?.holdMs === undefined || !isFirstAttempt(delivery)) return undefined
    const { eventId: event, url } = delivery
    const about = { id, event, event_type: world.events.get(event)?.type ?? null, url }
    const body = sentBody ?? this.#bodyOf(delivery) ?? null
    const held = { kind: 'webhook', fault: null, request: null, delivery: about, status: null, body } as const
    return this.options.holds.hold(this.account.id, { id: holdId(id), ...held }, delivery.holdMs)
  }

  #send(id: string, sentBody?: string, change: HoldRelease = {}): void {
    const { world, clock } = this.account
    const delivery = world.deliveries.get(id)
    if (!delivery) return
    const body = this.#bodies < MOST_BODIES ? sentBody : undefined
    const standing = clock.mode === 'virtual'
    const attempt: StartedAttempt = { delivery, seq: world.seq, standing, body, change }
    this.#open++
    this.#bodies += body?.length ?? 0
    if (attempt.standing) this.#inOrder.push(attempt)
    const lane = this.#lanes.get(delivery.endpointId) ?? { waiting: new Queue(), underWay: 0 }
    this.#lanes.set(delivery.endpointId, lane)
    lane.waiting.push(attempt)
    this.#goOn(lane)
  }

  /** Starts as many attempts as the endpoint may receive at a time. */
  #goOn(lane: Lane): void {
    for (let next = lane.waiting.first; next && lane.underWay < mostAtOnce(next); next = lane.waiting.first) {
      lane.waiting.shift()
      lane.underWay++
      void this.#attempt(next, lane).finally(() => {
        this.#open--
        this.#bodies -= next.body?.length ?? 0
        if (this.#open > 0) return
        this.#lanes.clear()
        for (const tell of this.#onIdle.splice(0)) tell()
      })
    }
  }

  async #attempt(attempt: StartedAttempt, lane: Lane): Promise<void> {
    const resulting = this.#resultOf(attempt)
    if (attempt.standing) await this.#turnOf(attempt, resulting)
    try {
      const result = await resulting.finally(() => {
        lane.underWay--
        this.#goOn(lane)
      })
      // The next request leaves first, so that its receiver works while this result is recorded.
      await yieldToEventLoop()
      if (result) await this.#record(attempt, result)
    } finally {
      if (attempt.standing) {
        this.#inOrder.shift()
        this.#inOrder.first?.recordNow?.()
      }
    }
  }

  /** Undefined if there is nothing to record. */
  async #resultOf({
    delivery,
    seq,
    body: sentBody,
    change,
  }: StartedAttempt): Promise<AttemptReport | undefined> {
    const { world, journal } = this.account
    const unsafe = journal.durable(seq)
    try {
      if (unsafe) await unsafe
    } catch {
      return undefined
    }
    if (this.#stopping.isBegun) return undefined
    if (change.drop || change.status !== undefined) return this.#notSent(change)
    if (this.options.hold) await this.#held(delivery, this.options.hold)
    const endpoint = world.endpoints.get(delivery.endpointId)
    const body = sentBody ?? this.#bodyOf(delivery)
    return endpoint && body !== undefined
      ? this.#post(delivery, textOf(change.body) ?? body, endpoint, change.headers)
      : REMOVED
  }

  /** The result that somebody decided who let a held attempt go. */
  #notSent({ status }: HoldRelease): AttemptReport {
    const timestamp = Math.floor(this.options.wall() / 1000)
    const error = status === undefined ? 'dropped by hand while it was held' : null
    return { ...REMOVED, status: status ?? null, error, timestamp }
  }

  #bodyOf({ eventId }: Delivery): string | undefined {
    const event = this.account.world.events.get(eventId)
    return event && this.options.bodyOf(event)
  }

  /** Resolves when there is a result, and the attempts before it are recorded. */
  async #turnOf(attempt: StartedAttempt, resulting: Promise<unknown>): Promise<void> {
    await resulting.catch(() => {})
    if (this.#inOrder.first === attempt) return
    await new Promise<void>(resolve => {
      attempt.recordNow = resolve
    })
  }

  async #record({ delivery }: StartedAttempt, result: AttemptReport): Promise<void> {
    const { account } = this
    const attempt = delivery.attempts.length
    const command = { type: 'RecordAttempt', delivery: delivery.id, attempt, result } as const
    // It may end every other delivery to this endpoint.
    if (result.status === 410) await readOpenDeliveries(account)
    const catchingUp = account.catchUp()
    if (catchingUp) await catchingUp
    if (this.#stopping.isBegun) return
    account.execute(command, 'courier')
  }

  async #held({ url, endpointId }: Delivery, hold: HoldWebhook): Promise<void> {
    const standing = this.account.clock.mode === 'virtual'
    const limitMs = standing ? this.#allowanceMs(endpointId) : HELD_AT_MOST_MS
    const waiting = new AbortController()
    const deadline = new Deadline(limitMs, this.#stopping, () => waiting.abort())
    if (standing) this.#deadlines.set(deadline, endpointId)
    await hold(url, waiting.signal)
    this.#deadlines.delete(deadline)
    deadline.clear()
  }

  #allowanceMs(endpoint: string): number {
    return Math.min(LIMITS.webhookTimeoutMs, this.#budget?.allowanceMs(endpoint) ?? LIMITS.webhookTimeoutMs)
  }

  async #post(
    delivery: Delivery,
    body: string,
    endpoint: WebhookEndpoint,
    more: HoldRelease['headers'],
  ): Promise<AttemptReport> {
    const { wall, sender } = this.options
    const { eventId } = delivery
    const timestamp = Math.floor(wall() / 1000)
    const own = secretsNow(endpoint, this.account.now)
    const secrets = delivery.fault === 'bad_signature' ? [WRONG_SECRET] : own
    const signature = signWebhook({ id: eventId, timestamp, body }, secrets)
    const sent = { timestamp, signature }
    const limitMs = this.#allowanceMs(endpoint.id)
    let begun: Deadline | undefined
    const onBegin = (deadline: Deadline) => {
      begun = deadline
      if (this.account.clock.mode === 'virtual') this.#deadlines.set(deadline, endpoint.id)
    }
    try {
      const headers = {
        'content-type': 'application/json',
        'user-agent': 'paysim',
        'webhook-id': eventId,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signature,
        ...lowerCase(more),
      }
      const answer = await sender.send({
        account: this.account.id,
        secret: own[0] ?? '',
        url: delivery.url,
        headers,
        body,
        limitMs,
        stopping: this.#stopping,
        onBegin,
      })
      const retryAfterMs = parseRetryAfter(answer.retryAfter, wall())
      const headersOfAnswer = answer.headers && { headers: answer.headers }
      return {
        status: answer.status,
        error: null,
        retryAfterMs,
        body: answer.body,
        ...headersOfAnswer,
        ...sent,
      }
    } catch (cause) {
      const budget = this.#budget
      const isLate = cause instanceof TooLateError
      if (isLate) budget?.gaveUp(endpoint.id, delivery.id)
      const error = isLate ? tooLate(cause, budget) : describe(cause)
      return { status: null, error, retryAfterMs: null, body: '', ...sent }
    } finally {
      if (begun) this.#deadlines.delete(begun)
    }
  }
}

const isFirstAttempt = (delivery: Delivery | undefined) =>
  delivery?.status === 'attempting' && delivery.attempts.length === 1

const textOf = (body: unknown): string | undefined =>
  body === undefined || typeof body === 'string' ? body : JSON.stringify(body)

const lowerCase = (headers: HoldRelease['headers'] = {}) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

const REMOVED: AttemptReport = {
  status: null,
  error: 'the endpoint was removed',
  retryAfterMs: null,
  body: '',
  timestamp: 0,
  signature: '',
}

/** The secret of the fault `bad_signature`, which no receiver has. */
export const WRONG_SECRET = `whsec_${Buffer.from('nobody has this secret').toString('base64')}`

/** Those that sign. */
export const secretsNow = ({ secrets }: WebhookEndpoint, at: number) =>
  secrets.filter(({ endsAt }) => endsAt === null || endsAt > at).map(({ secret }) => secret)

function tooLate({ limitMs, sent }: TooLateError, budget: ReceiverBudget | undefined): string {
  const what = sent ? 'no answer' : 'not sent: no connection'
  if (!budget || limitMs === LIMITS.webhookTimeoutMs)
    return `${what} within ${LIMITS.webhookTimeoutMs / 1000} s`
  return `${what}: an advance waits ${formatDuration(budget.limitMs)} for all receivers together`
}

function describe(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined
  return code ?? cause.message
}

/** How many deliveries are read between two looks at the clock. */
const READ_AT_ONCE = 8

/**
 * An endpoint that goes ends all that waits for it in one step, while nobody is answered. What of it is not in memory is
 * read before, in slices.
 */
export const readOpenDeliveries = (account: Account): Promise<void> =>
  inSlices(account.world.openDeliveries, READ_AT_ONCE, id => {
    const { deliveries, timers } = account.world
    if (deliveries.has(id)) timers.get(deliveryTimer(id))
  })
