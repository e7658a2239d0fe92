import { setTimeout as pause } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { verifyWebhook } from '../contract/webhook-signature.ts'
import { type Armed, type ArmedDisturbances, type Forgery, isForgery } from './disturbance.ts'
import {
  forged,
  ofUnknownType,
  sentAgain,
  type WebhookMessage,
  withUnknownFields,
} from './webhook-variants.ts'

/** A webhook that the application was sent, with its answer. */
export interface RecordedDelivery {
  readonly id: string
  readonly type: string
  /** What was sent: the true event, or what a disturbance made of it. */
  readonly sent: 'event' | 'again' | 'unknown type' | Forgery
  readonly step: number
  readonly body: string
  readonly startedAt: number
  endedAt: number
  /** 0 where no answer came. */
  status: number
  answer: string
  /** When it asks to be sent the webhook again. */
  retryAfter?: string
  /** It was there before the application could know of the payment; another attempt followed. */
  isEarly?: true
}

export interface RelayAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly reset?: true
  /** It was lost on its way, or is a repetition: the story does not speak of it. */
  readonly isHidden?: true
}

export interface RelaySettings {
  /** Where the application takes webhooks. */
  readonly url: () => string
  readonly secret: string
  readonly disturbances: ArmedDisturbances
  readonly deliveries: RecordedDelivery[]
  readonly step: () => number
  /** Looks at the application's state around a forged webhook. */
  readonly forging: (deliver: () => Promise<RecordedDelivery>) => Promise<void>
}

/** As long as the gateway waits. */
const ANSWER_WITHIN_MS = 15_000
/** An application may hold a webhook back until the answer of its own call has come. */
const EARLY_HELD_MS = 1000
const EARLY_RETRY_MS = 1000
/** Less than verifiers allow a clock to be ahead. */
const LATER_S = 5
const SHOWN_ANSWER = 500
const isSuccess = (status: number) => status >= 200 && status < 300

/** Stands between the gateway's webhooks and the application: records each delivery, and can disturb one. */
export class WebhookRelay {
  readonly #agent = new Agent({ keepAliveTimeout: 4000 })
  /** Events that a disturbance keeps from the application. */
  readonly late = new Set<string>()
  readonly #lost = new Map<Armed, number>()
  readonly #let = new Set<Armed>()
  #early: (() => void) | undefined

  constructor(private readonly settings: RelaySettings) {}

  async take(message: WebhookMessage): Promise<RelayAnswer> {
    const { disturbances } = this.settings
    const { id, type } = JSON.parse(message.body) as { id: string; type: string }
    const early = this.#early
    const armed = disturbances.ofEvent(id, type)
    if (armed.some(one => this.#keepsBack(one))) {
      this.late.add(id)
      return { status: 0, reset: true, isHidden: true }
    }
    this.#letOthersPass(id)
    const isLate = this.late.has(id)
    // No time passes on the wall between the attempts, as it would: the signature must differ all the same.
    const sent =
      isLate && isSigned(message, this.settings.secret)
        ? sentAgain(message, this.settings.secret, LATER_S)
        : message
    const { status, retryAfter } = await this.#deliver(sent, armed, early)
    if (isSuccess(status)) this.late.delete(id)
    const lost = armed.find(({ disturbance }) => disturbance.kind === 'webhook-lost-answer')
    if (lost && isSuccess(status) && !this.#lost.has(lost)) {
      this.#lost.set(lost, 1)
      this.late.add(id)
      return { status, reset: true }
    }
    const headers = retryAfter === undefined ? {} : { headers: { 'retry-after': retryAfter } }
    const isHidden = lost && isLate ? { isHidden: true as const } : {}
    return status === 0 ? { status, reset: true, ...isHidden } : { status, ...headers, ...isHidden }
  }

  /** Whether an attempt is lost on its way. */
  #keepsBack(one: Armed): boolean {
    const { kind, attempts = 1 } = one.disturbance
    const lost = this.#lost.get(one) ?? 0
    const isKept =
      (kind === 'webhook-late' && lost < attempts) || (kind === 'webhook-order' && !this.#let.has(one))
    if (isKept) this.#lost.set(one, lost + 1)
    return isKept
  }

  /** An event arrives: those that were to come behind it may come now. */
  #letOthersPass(id: string): void {
    for (const one of this.settings.disturbances.all)
      if (one.disturbance.kind === 'webhook-order' && one.eventId !== undefined && one.eventId !== id)
        this.#let.add(one)
  }

  /** No event will come any more that one could wait for. */
  letAllPass(): void {
    for (const one of this.settings.disturbances.all)
      if (one.eventId !== undefined && one.disturbance.kind === 'webhook-order' && !this.#let.has(one)) {
        this.#let.add(one)
        one.met = false
      }
  }

  /** Webhooks that arrive from now on are there before the answer of the call that caused them. */
  async bringEarly(advance: () => Promise<unknown>): Promise<void> {
    const answered = new Promise<void>(resolve => {
      this.#early = resolve
    })
    try {
      await Promise.race([advance(), answered, pause(EARLY_HELD_MS)])
    } finally {
      this.#early = undefined
    }
  }

  async #deliver(
    message: WebhookMessage,
    armed: readonly Armed[],
    early?: () => void,
  ): Promise<RecordedDelivery> {
    const { secret } = this.settings
    const has = (kind: string) => armed.some(({ disturbance }) => disturbance.kind === kind)
    const event = has('webhook-unknown-field') ? withUnknownFields(message, secret) : message
    if (has('webhook-unknown-type')) await this.#post(ofUnknownType(message, secret), 'unknown type')
    await this.#forge(message, armed, 'before')
    let delivery = has('webhook-twice-at-once')
      ? await this.#postTwice(event)
      : await this.#post(event, 'event', early)
    if (early && !isSuccess(delivery.status)) {
      early()
      await pause(EARLY_RETRY_MS)
      delivery = await this.#post(sentAgain(event, secret), 'event')
    }
    early?.()
    if (has('webhook-twice')) await this.#post(sentAgain(event, secret), 'again')
    await this.#forge(message, armed, 'after')
    return delivery
  }

  /** Where one of the two was taken, the event has arrived. */
  async #postTwice(event: WebhookMessage): Promise<RecordedDelivery> {
    const [first, second] = await Promise.all([this.#post(event, 'event'), this.#post(event, 'again')])
    return isSuccess(second.status) ? second : first
  }

  async #forge(message: WebhookMessage, armed: readonly Armed[], when: 'before' | 'after'): Promise<void> {
    for (const { disturbance } of armed) {
      const { kind } = disturbance
      if (!isForgery(kind) || (disturbance.when ?? when) !== when) continue
      await this.settings.forging(() => this.#post(forged(message, kind, when, this.settings.secret), kind))
    }
  }

  async #post(
    { headers, body }: WebhookMessage,
    sent: RecordedDelivery['sent'],
    early?: () => void,
  ): Promise<RecordedDelivery> {
    const { id, type } = JSON.parse(body) as { id: string; type: string }
    const delivery: RecordedDelivery = {
      id,
      type,
      sent,
      step: this.settings.step(),
      body,
      startedAt: performance.now(),
      endedAt: 0,
      status: 0,
      answer: '',
      ...(early ? { isEarly: true as const } : {}),
    }
    this.settings.deliveries.push(delivery)
    try {
      const answer = await request(this.settings.url(), {
        dispatcher: this.#agent,
        method: 'POST',
        headers,
        body,
        signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
      })
      delivery.answer = (await answer.body.text()).slice(0, SHOWN_ANSWER)
      delivery.status = answer.statusCode
      const [after] = [answer.headers['retry-after']].flat()
      if (after !== undefined) delivery.retryAfter = after
    } catch (cause) {
      delivery.answer = whyLost(cause)
    }
    delivery.endedAt = performance.now()
    return delivery
  }

  close(): Promise<void> {
    return this.#agent.destroy()
  }
}

function whyLost(cause: unknown): string {
  if (!(cause instanceof Error)) return String(cause)
  if (cause.name === 'TimeoutError') return `no answer within ${ANSWER_WITHIN_MS / 1000} s`
  return 'code' in cause && typeof cause.code === 'string' ? cause.code : cause.message
}

/** Whether a webhook is signed as the gateway signs: a fault of the story may have it otherwise. */
export function isSigned({ headers, body }: WebhookMessage, secret: string): boolean {
  const message = { id: headers['webhook-id'] ?? '', timestamp: Number(headers['webhook-timestamp']), body }
  return verifyWebhook(message, headers['webhook-signature'] ?? '', secret)
}
