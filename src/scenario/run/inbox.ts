import type { RelayAnswer } from '../../application/webhook-relay.ts'
import type { WebhookMessage } from '../../application/webhook-variants.ts'
import { parseDuration } from '../../contract/durations.ts'
import type {
  ReceivedEvent,
  WebhookAddress,
  WebhookAnswer,
  WebhookReceiver,
} from '../../library/webhook-receiver.ts'
import type { ReceiverBehaviour, ReceiverReply } from '../schema/account.ts'

/** A received webhook, as the steps of a scenario see it. */
export interface Webhook {
  readonly id: string
  readonly type: string
  readonly timestamp: string
  readonly environment: string
  readonly data: unknown
  readonly signature: 'valid' | 'invalid'
  /** The number of this delivery among the answered ones of this event, counted from 1. */
  readonly attempt: number
  readonly answered: number
}

/** The received webhooks of one account, and how to answer them. */
export class Inbox {
  readonly received: Webhook[] = []
  readonly texts = new Map<Webhook, string>()
  secret = ''
  readonly #address: WebhookAddress
  #plan: ReceiverReply[] = [{ status: 200 }]
  #down = false
  /** Where webhooks are forwarded to, if the scenario has an application. */
  onward: ((message: WebhookMessage) => Promise<RelayAnswer>) | undefined

  constructor(receiver: WebhookReceiver, name: string) {
    this.#address = receiver.add(`/${name}`, {
      secrets: () => [this.secret],
      take: event => this.#take(event),
    })
  }

  get url(): string {
    return this.#address.url
  }

  behave(behaviour: ReceiverBehaviour): void {
    this.#down = behaviour === 'down'
    const replies = typeof behaviour === 'string' ? [{ status: 200 }] : [behaviour].flat()
    this.#plan = replies.map(reply => ({ ...reply }))
  }

  close(): void {
    this.#address.close()
  }

  async #take(event: ReceivedEvent): Promise<WebhookAnswer> {
    if (this.#down) return { reset: true }
    const { status, retry_after: retryAfter } = this.#nextReply()
    if (this.onward && status < 300) return this.#passOn(this.onward, event)
    this.#note(event, status)
    if (retryAfter === undefined) return { status }
    const seconds = Math.ceil((parseDuration(retryAfter) ?? 0) / 1000)
    return { status, headers: { 'retry-after': String(seconds) } }
  }

  /** Lets the application answer, and records the webhook as if it had arrived here. */
  async #passOn(
    onward: (message: WebhookMessage) => Promise<RelayAnswer>,
    event: ReceivedEvent,
  ): Promise<WebhookAnswer> {
    const { isHidden, ...answer } = await onward({
      headers: forwardedHeaders(event.headers),
      body: event.body,
    })
    if (!isHidden) this.#note(event, answer.status)
    return answer
  }

  #note({ id, body, problem }: ReceivedEvent, answered: number): void {
    const webhook: Webhook = {
      ...(JSON.parse(body) as Pick<Webhook, 'id' | 'type' | 'timestamp' | 'environment' | 'data'>),
      signature: problem === null ? 'valid' : 'invalid',
      attempt: this.received.filter(one => one.id === id).length + 1,
      answered,
    }
    this.received.push(webhook)
    this.texts.set(webhook, body)
  }

  /** The last reply repeats forever, whatever its `times` is. */
  #nextReply(): ReceiverReply {
    const [reply = { status: 200 }] = this.#plan
    if (this.#plan.length > 1) {
      if (reply.times === undefined || reply.times === 1) this.#plan.shift()
      else this.#plan[0] = { ...reply, times: reply.times - 1 }
    }
    return reply
  }
}

const OF_THE_CONNECTION = new Set(['host', 'connection', 'content-length', 'transfer-encoding', 'keep-alive'])

const forwardedHeaders = (headers: ReceivedEvent['headers']) =>
  Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !OF_THE_CONNECTION.has(name))
      .map(([name, value]) => [name, String(value)]),
  )
