import { setMaxListeners } from 'node:events'
import { formatDuration } from '../contract/durations.ts'
import { LIMITS } from '../contract/limits.ts'
import { parseRetryAfter } from '../contract/retry-after.ts'
import { signWebhook } from '../contract/webhook-signature.ts'
import type { Command } from '../domain/commands.ts'
import type { Delivery, WebhookEndpoint, WebhookEvent } from '../domain/model.ts'
import type { Account } from './account.ts'
import { Deadline } from './deadline.ts'
import type { Patience } from './patience.ts'
import type { Reading } from './real-time.ts'
import type { WebhookSender } from './webhook-sender.ts'

type AttemptReport = Extract<Command, { type: 'RecordAttempt' }>['result']

/** Resolves when webhooks may be sent to an address; returns undefined if there is nothing to wait for. */
export type HoldWebhook = (url: string, until: AbortSignal) => Promise<void> | undefined

/**
 * How long an attempt waits for a receiver to start before it is made anyway. On a virtual clock it waits only as
 * long as for a response, because the caller of `advance` may be the one to start the receiver.
 */
const HELD_AT_MOST_MS = 60_000

/** The start of the receiver's response, shown in the deliveries. */
const SHOWN_BODY = 1024

/** How the courier sends a request. */
export interface CourierWays {
  readonly bodyOf: (event: WebhookEvent) => string
  readonly wall: Reading
  readonly sender: WebhookSender
  readonly hold?: HoldWebhook | undefined
}

/**
 * Sends an account's webhooks. An attempt starts as an entry in the journal; the courier makes the HTTP request and
 * executes a command with the result. So each event is delivered at least once, even after a crash.
 */
export class Courier {
  readonly #underWay = new Set<Promise<void>>()
  readonly #stopping = new AbortController()
  /**
   * On a clock that stands still, an endpoint receives one event at a time, and responses are recorded in the order
   * of the attempts. So the journal, and what a receiver sees, repeat exactly.
   */
  readonly #lastSent = new Map<string, Promise<void>>()
  #lastRecorded: Promise<void> = Promise.resolve()
  /** Of the advance that is on its way. */
  #patience: Patience | undefined

  constructor(
    private readonly account: Account,
    private readonly ways: CourierWays,
  ) {
    // Each attempt in progress listens. Node 20 takes more than ten listeners for a leak, and warns.
    setMaxListeners(0, this.#stopping.signal)
    account.onEntry(entry => {
      for (const event of entry.events) if (event.type === 'AttemptStarted') this.#send(event.delivery)
    })
    account.onResume(() => this.resume())
  }

  /** Repeats attempts that were in progress when the process or its disk failed. */
  resume(): void {
    const { deliveries, openDeliveries } = this.account.world
    for (const id of openDeliveries) if (deliveries.get(id)?.status === 'attempting') this.#send(id)
  }

  get busy(): boolean {
    return this.#underWay.size > 0
  }

  /** Limits how long receivers may take in all, as long as this is not called again. */
  bePatient(patience: Patience | undefined): void {
    this.#patience = patience
  }

  /** Resolves when no attempt is in progress. */
  async idle(): Promise<void> {
    while (this.#underWay.size > 0) await Promise.all(this.#underWay)
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.idle()
  }

  #send(id: string): void {
    const delivery = this.account.world.deliveries.get(id)
    if (!delivery) return
    const standing = this.account.clock.mode === 'virtual'
    const task = this.#attempt(delivery, {
      send: standing ? this.#lastSent.get(delivery.endpointId) : undefined,
      record: standing ? this.#lastRecorded : undefined,
    }).finally(() => this.#underWay.delete(task))
    this.#lastSent.set(delivery.endpointId, task)
    this.#lastRecorded = task
    this.#underWay.add(task)
  }

  async #attempt(delivery: Delivery, before: Before): Promise<void> {
    const { id, eventId, endpointId } = delivery
    const { world, journal } = this.account
    try {
      await journal.durable(world.seq)
    } catch {
      return
    }
    await before.send
    await this.#held(delivery)
    const event = world.events.get(eventId)
    const endpoint = world.endpoints.get(endpointId)
    const result = event && endpoint ? await this.#post(delivery, event, endpoint) : REMOVED
    await before.record
    await this.account.catchUp()
    if (this.#stopping.signal.aborted) return
    const attempt = delivery.attempts.length
    this.account.execute({ type: 'RecordAttempt', delivery: id, attempt, result }, 'courier')
  }

  async #held({ url, endpointId }: Delivery): Promise<void> {
    const { hold } = this.ways
    if (!hold) return
    const standing = this.account.clock.mode === 'virtual'
    const limitMs = standing ? this.#allowanceMs(endpointId) : HELD_AT_MOST_MS
    const deadline = new Deadline(limitMs, this.#stopping.signal)
    await hold(url, deadline.signal)
    deadline.clear()
  }

  #allowanceMs(endpoint: string): number {
    return Math.min(LIMITS.webhookTimeoutMs, this.#patience?.allowanceMs(endpoint) ?? LIMITS.webhookTimeoutMs)
  }

  async #post(delivery: Delivery, event: WebhookEvent, endpoint: WebhookEndpoint): Promise<AttemptReport> {
    const { bodyOf, wall, sender } = this.ways
    const body = bodyOf(event)
    const timestamp = Math.floor(wall() / 1000)
    const secrets =
      delivery.fault === 'bad_signature' ? [WRONG_SECRET] : secretsNow(endpoint, this.account.now)
    const signature = signWebhook({ id: event.id, timestamp, body }, secrets)
    const sent = { timestamp, signature }
    const patience = this.#patience
    const limitMs = this.#allowanceMs(endpoint.id)
    const deadline = new Deadline(limitMs, this.#stopping.signal)
    try {
      const headers = {
        'content-type': 'application/json',
        'user-agent': 'paysim',
        'webhook-id': event.id,
        'webhook-timestamp': String(timestamp),
        'webhook-signature': signature,
      }
      const answer = await sender.send({ url: delivery.url, headers, body, signal: deadline.signal })
      const retryAfterMs = parseRetryAfter(answer.retryAfter, wall())
      return { status: answer.status, error: null, retryAfterMs, body: await readStart(answer.body), ...sent }
    } catch (cause) {
      const isLate = cause instanceof Error && cause.name === 'TimeoutError'
      if (isLate) patience?.gaveUp(endpoint.id, delivery.id)
      const error = isLate ? tooLate(limitMs, patience) : describe(cause)
      return { status: null, error, retryAfterMs: null, body: '', ...sent }
    } finally {
      deadline.clear()
    }
  }
}

/** What to wait for first. */
interface Before {
  readonly send: Promise<void> | undefined
  readonly record: Promise<void> | undefined
}

const REMOVED: AttemptReport = {
  status: null,
  error: 'the endpoint was removed',
  retryAfterMs: null,
  body: '',
  timestamp: 0,
  signature: '',
}

/** The secret of the fault `bad_signature`, which no receiver has. */
const WRONG_SECRET = `whsec_${Buffer.from('nobody has this secret').toString('base64')}`

const secretsNow = ({ secrets }: WebhookEndpoint, at: number) =>
  secrets.filter(({ endsAt }) => endsAt === null || endsAt > at).map(({ secret }) => secret)

async function readStart(body: AsyncIterable<Uint8Array>): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    if (size < SHOWN_BODY) chunks.push(chunk)
    size += chunk.length
    // Reads only the start of a response, which may be endless.
    if (size > 1024 * SHOWN_BODY) break
  }
  return Buffer.concat(chunks).toString('utf8').slice(0, SHOWN_BODY)
}

function tooLate(limitMs: number, patience: Patience | undefined): string {
  if (!patience || limitMs === LIMITS.webhookTimeoutMs)
    return `no answer within ${LIMITS.webhookTimeoutMs / 1000} s`
  return `no answer: an advance waits ${formatDuration(patience.limitMs)} for all receivers together`
}

function describe(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  const code = 'code' in cause && typeof cause.code === 'string' ? cause.code : undefined
  return code ?? cause.message
}
