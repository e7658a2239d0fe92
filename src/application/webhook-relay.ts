import { setTimeout as pause } from 'node:timers/promises'
import { verifyWebhook } from '../contract/webhook-signature.ts'
import { type Armed, type ArmedDisturbances, type Forgery, isForgery, type Subject } from './disturbance.ts'
import { isSuccess, type WebhookReply } from './request-once.ts'
import {
  type EventBody,
  forged,
  ofUnknownType,
  sentAgain,
  type WebhookMessage,
  withUnknownFields,
} from './webhook-variants.ts'

/** A webhook that was sent to the application, with its answer. */
export interface RecordedDelivery {
  readonly id: string
  readonly type: string
  /** What was sent: the real event, or another message because of a disturbance. */
  readonly sent: 'event' | 'again' | 'unknown type' | Forgery
  readonly step: number
  readonly body: string
  readonly startedAt: number
  endedAt: number
  /** 0 if there was no answer. */
  status: number
  answer: string
  /** The Retry-After of the answer. */
  retryAfter?: string
  /** What it is about, where a run has several accounts. */
  readonly subject?: Subject
  /** The address, where a run has several endpoints. */
  readonly endpoint?: string
  /** It arrived before the application could know the payment, and another attempt followed. */
  isEarly?: true
  /** The gateway did not get the answer. */
  isAnswerLost?: true
}

export interface RelayAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly reset?: true
  /** It was lost or repeated by a disturbance, so the scenario does not see it. */
  readonly isHidden?: true
}

/** An application may answer a webhook only after its own call is answered. */
const HELD_MS = 1000
/** An application may take an event into a queue, and work at it in its own time. */
const QUEUED_MS = 2000

/** The answer to a call of the application, which waits until an event that the call caused was delivered. */
export class HeldAnswer {
  #release: (() => void) | undefined
  #released = Promise.resolve()
  #isTaken = false
  #isAccepted = false

  /** From now on, events come before the answer. */
  hold(): void {
    this.#isTaken = false
    this.#isAccepted = false
    this.#released = new Promise(resolve => {
      this.#release = resolve
    })
  }

  /**
   * Lets the answer go once an event was refused, or was accepted and there was time to work at it, or if none is due.
   * Returns whether one came. On a real clock nobody can tell what is due, so the answer waits.
   */
  async letGo(deliverDue: () => Promise<unknown>): Promise<boolean> {
    try {
      await Promise.race([deliverDue().catch(() => this.#released), this.#released, pause(HELD_MS)])
    } finally {
      this.#release = undefined
    }
    if (this.#isAccepted) await pause(QUEUED_MS)
    return this.#isTaken
  }

  /** Returns what an event that is delivered now must call once it was answered, if an answer waits for it. */
  take(): ((isAccepted: boolean) => void) | undefined {
    const release = this.#release
    if (!release) return undefined
    this.#isTaken = true
    return isAccepted => {
      this.#isAccepted = isAccepted
      release()
    }
  }
}

interface RelaySettings {
  /** The address of the endpoint, where a run has several. */
  readonly endpoint?: string
  /** Posts a message to the application's webhook endpoint. @internal */
  readonly post: (message: WebhookMessage) => Promise<WebhookReply>
  readonly secret: string
  /** How often the gateway repeats a webhook at most. */
  readonly retries: number
  readonly disturbances: ArmedDisturbances
  readonly deliveries: RecordedDelivery[]
  readonly step: () => number
  /** The payer of a payment comes back to the application. */
  readonly payerReturns: (payment: string) => Promise<void>
  /** Is called before an event that was held back reaches the application, with the record as it was then. */
  readonly arrivesLate: (record: EventBody['data']) => Promise<void>
  /** Compares the application's state before and after a forged webhook. Call the result after the true event. */
  readonly forging: (deliver: () => Promise<RecordedDelivery>) => Promise<() => Promise<void>>
  /** The answer that may wait for an event. */
  readonly heldAnswer: HeldAnswer
  /** Is called when a webhook is sent or answered. */
  readonly onActivity: () => void
  /** What an event is about, where a run has several accounts. */
  readonly subjectOf?: (event: EventBody) => Subject
  /**
   * An event whose answer was lost comes again soon, and the gateway takes it for delivered. Otherwise it comes again by
   * the gateway's schedule, for which a run must move the clock.
   */
  readonly repeatsSoon?: true
}

const EARLY_RETRY_MS = 1000
/** Verifiers accept a timestamp that is this far in the future. */
const LATER_S = 5

/** Takes webhooks from the gateway and sends them to the application. It records each delivery, and can disturb it. */
export class WebhookRelay {
  /** Events that a disturbance holds back. */
  readonly late = new Set<string>()
  /** Those of them for which the story does not wait. */
  readonly #unawaited = new Set<string>()
  readonly #lost = new Map<Armed, number>()
  readonly #released = new Set<Armed>()
  /** Events with which the payer has come back. */
  readonly #returned = new Set<Armed>()
  /** What the application answered with 2xx in the last step in which webhooks came. */
  #accepted: { readonly step: number; readonly messages: Map<string, WebhookMessage> } | undefined
  /** What comes again behind the next event. */
  readonly #owed: WebhookMessage[] = []

  constructor(private readonly settings: RelaySettings) {}

  async take(message: WebhookMessage): Promise<RelayAnswer> {
    const { disturbances } = this.settings
    const event = JSON.parse(message.body) as EventBody
    const { id, type, data } = event
    const armed = disturbances.ofEvent(id, type, this.settings.subjectOf?.(event))
    if (armed.some(one => this.#holdsBack(one))) {
      this.late.add(id)
      if (armed.some(({ disturbance }) => disturbance.waits === false)) this.#unawaited.add(id)
      await this.#bringBack('return-early', armed, data)
      return { status: 0, reset: true, isHidden: true }
    }
    const early = this.settings.heldAnswer.take()
    this.#releaseOthers(id)
    const owed = this.#owed.splice(0)
    const isLate = this.late.has(id)
    if (isLate) await this.settings.arrivesLate(data)
    // The attempts come without delay in real time, but each needs another signature.
    const sent =
      isLate && isSigned(message, this.settings.secret)
        ? sentAgain(message, this.settings.secret, LATER_S)
        : message
    const delivery = await this.#deliver(sent, armed, early)
    const { status, retryAfter } = delivery
    if (isSuccess(status)) {
      this.late.delete(id)
      this.#noteAccepted(id, sent)
    }
    const lost = armed.find(({ disturbance }) => disturbance.kind === 'webhook-lost-answer')
    const isNowLost = lost && isSuccess(status) && !this.#lost.has(lost)
    const { repeatsSoon: isSoon = false } = this.settings
    if (isNowLost) {
      this.#lost.set(lost, 1)
      delivery.isAnswerLost = true
      if (isSoon) (lost.disturbance.behindNext ? this.#owed : owed).push(sent)
      else this.late.add(id)
    }
    for (const before of owed) await this.#post(sentAgain(before, this.settings.secret), 'again')
    if (isNowLost && !isSoon) return { status, reset: true }
    const headers = retryAfter === undefined ? {} : { headers: { 'retry-after': retryAfter } }
    const isHidden = lost && isLate ? { isHidden: true as const } : {}
    return status === 0 ? { status, reset: true, ...isHidden } : { status, ...headers, ...isHidden }
  }

  #noteAccepted(id: string, message: WebhookMessage): void {
    const step = this.settings.step()
    if (this.#accepted?.step !== step) this.#accepted = { step, messages: new Map() }
    if (isSigned(message, this.settings.secret)) this.#accepted.messages.set(id, message)
  }

  /** Sends the latest events of a type again, as if the application had ended before its answers had arrived. */
  async sendAgain(type: string): Promise<void> {
    for (const message of this.#accepted?.messages.values() ?? [])
      if ((JSON.parse(message.body) as { type: string }).type === type)
        await this.#post(sentAgain(message, this.settings.secret), 'again')
  }

  /** Whether this attempt is lost on the way. */
  #holdsBack(one: Armed): boolean {
    const { kind, attempts = 1 } = one.disturbance
    const lost = this.#lost.get(one) ?? 0
    // The last attempt of the retry schedule must arrive: no correct application survives an event that never comes.
    const isLast = lost >= this.settings.retries
    const isKept =
      !isLast &&
      (((kind === 'webhook-late' || kind === 'return-early') && lost < attempts) ||
        (kind === 'webhook-order' && !this.#released.has(one)))
    if (isKept) this.#lost.set(one, lost + 1)
    return isKept
  }

  /** An event arrives, so events that had to come after it may now come. */
  #releaseOthers(id: string): void {
    for (const one of this.settings.disturbances.all)
      if (one.disturbance.kind === 'webhook-order' && one.eventId !== undefined && one.eventId !== id)
        this.#released.add(one)
  }

  /** Whether the story waits for an event that is held back. */
  get isAwaited(): boolean {
    return [...this.late].some(id => !this.#unawaited.has(id))
  }

  /** No more events will come, so release every event that waits for another one. */
  releaseAll(): void {
    for (const one of this.settings.disturbances.all)
      if (one.eventId !== undefined && one.disturbance.kind === 'webhook-order' && !this.#released.has(one)) {
        this.#released.add(one)
        one.met = false
      }
  }

  async #deliver(
    message: WebhookMessage,
    armed: readonly Armed[],
    early?: (isAccepted: boolean) => void,
  ): Promise<RecordedDelivery> {
    const { secret } = this.settings
    const has = (kind: string) => armed.some(({ disturbance }) => disturbance.kind === kind)
    const event = has('webhook-unknown-field') ? withUnknownFields(message, secret) : message
    await this.#tellOfUnknownType(message, armed, 'before')
    const afterTheTruth = await this.#forge(message, armed, 'before')
    const { data } = JSON.parse(message.body) as EventBody
    let [delivery] = await Promise.all([
      has('webhook-twice-at-once') ? this.#postTwice(event) : this.#post(event, 'event', early),
      this.#bringBack('return-at-once', armed, data),
    ])
    if (early && !isSuccess(delivery.status)) {
      early(false)
      await pause(EARLY_RETRY_MS)
      delivery = await this.#post(sentAgain(event, secret), 'event')
    } else early?.(true)
    for (const look of afterTheTruth) await look()
    if (has('webhook-twice')) await this.#post(sentAgain(event, secret), 'again')
    await this.#tellOfUnknownType(message, armed, 'after')
    await this.#forge(message, armed, 'after')
    return delivery
  }

  /** The payer comes back with the first attempt of an event. */
  async #bringBack(
    kind: 'return-early' | 'return-at-once',
    armed: readonly Armed[],
    { id }: EventBody['data'],
  ): Promise<void> {
    const wanted = armed.find(({ disturbance }) => disturbance.kind === kind)
    if (!wanted || this.#returned.has(wanted)) return
    this.#returned.add(wanted)
    await this.settings.payerReturns(String(id))
  }

  async #tellOfUnknownType(
    message: WebhookMessage,
    armed: readonly Armed[],
    when: 'before' | 'after',
  ): Promise<void> {
    const wanted = armed.find(({ disturbance }) => disturbance.kind === 'webhook-unknown-type')
    if (!wanted || (wanted.disturbance.when ?? when) !== when) return
    await this.#post(ofUnknownType(message, when, this.settings.secret), 'unknown type')
  }

  /** The event is delivered if one of the two got a 2xx. */
  async #postTwice(event: WebhookMessage): Promise<RecordedDelivery> {
    const [first, second] = await Promise.all([this.#post(event, 'event'), this.#post(event, 'again')])
    return isSuccess(second.status) ? second : first
  }

  async #forge(
    message: WebhookMessage,
    armed: readonly Armed[],
    when: 'before' | 'after',
  ): Promise<(() => Promise<void>)[]> {
    const { forging, secret } = this.settings
    const looks: (() => Promise<void>)[] = []
    for (const { disturbance } of armed) {
      const { kind } = disturbance
      if (!isForgery(kind) || (disturbance.when ?? when) !== when) continue
      looks.push(await forging(() => this.#post(forged(message, kind, when, secret), kind)))
    }
    return looks
  }

  async #post(
    { headers, body }: WebhookMessage,
    sent: RecordedDelivery['sent'],
    early?: (isAccepted: boolean) => void,
  ): Promise<RecordedDelivery> {
    const event = JSON.parse(body) as EventBody
    const { id, type } = event
    const subject = this.settings.subjectOf?.(event)
    const { endpoint } = this.settings
    const delivery: RecordedDelivery = {
      id,
      type,
      ...(subject ? { subject } : {}),
      ...(endpoint === undefined ? {} : { endpoint }),
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
    this.settings.onActivity()
    const reply = await this.settings.post({ headers, body })
    this.settings.onActivity()
    Object.assign(delivery, reply)
    delivery.endedAt = performance.now()
    return delivery
  }
}

/** Whether the account's secret signed a webhook: a fault of the scenario may give it a bad signature. */
export function isSigned({ headers, body }: WebhookMessage, secret: string): boolean {
  const message = { id: headers['webhook-id'] ?? '', timestamp: Number(headers['webhook-timestamp']), body }
  return verifyWebhook(message, headers['webhook-signature'] ?? '', secret)
}
