import { parseDuration } from '../../contract/durations.ts'
import { verifyWebhook } from '../../contract/webhook-signature.ts'
import {
  type IncomingWebhook,
  listenForWebhooks,
  type WebhookListener,
} from '../../library/webhook-listener.ts'
import type { WebhookAnswer } from '../../library/webhooks.ts'
import type { ReceiverBehaviour, ReceiverReply } from '../schema/account.ts'

/** A webhook as it came. */
export interface Webhook {
  readonly id: string
  readonly type: string
  readonly timestamp: string
  readonly environment: string
  readonly data: unknown
  readonly signature: 'valid' | 'invalid'
  /** How often this event had come, with this one. */
  readonly attempt: number
  readonly answered: number
}

/** The webhooks of one account: what came, and how they are answered. */
export class Inbox {
  readonly received: Webhook[] = []
  readonly texts = new Map<Webhook, string>()
  secret = ''
  #plan: ReceiverReply[] = [{ status: 200 }]
  #down = false

  constructor(
    readonly url: string,
    readonly close: () => void,
  ) {}

  behave(behaviour: ReceiverBehaviour): void {
    this.#down = behaviour === 'down'
    const replies = typeof behaviour === 'string' ? [{ status: 200 }] : [behaviour].flat()
    this.#plan = replies.map(reply => ({ ...reply }))
  }

  take({ headers, body }: IncomingWebhook): WebhookAnswer {
    if (this.#down) return { reset: true }
    const reply = this.#next()
    const text = body.toString('utf8')
    const webhook = this.#read(headers, text, reply.status)
    this.received.push(webhook)
    this.texts.set(webhook, text)
    const wait =
      reply.retry_after === undefined ? undefined : Math.ceil((parseDuration(reply.retry_after) ?? 0) / 1000)
    return {
      status: reply.status,
      ...(wait === undefined ? {} : { headers: { 'retry-after': String(wait) } }),
    }
  }

  /** The last reply goes on for ever, also where it said how often. */
  #next(): ReceiverReply {
    const [reply = { status: 200 }] = this.#plan
    if (reply.times !== undefined && this.#plan.length > 1) {
      if (reply.times === 1) this.#plan.shift()
      else this.#plan[0] = { ...reply, times: reply.times - 1 }
    } else if (this.#plan.length > 1) this.#plan.shift()
    return reply
  }

  #read(headers: IncomingWebhook['headers'], body: string, answered: number): Webhook {
    const event = JSON.parse(body) as Pick<Webhook, 'id' | 'type' | 'timestamp' | 'environment' | 'data'>
    const id = String(headers['webhook-id'])
    const message = { id, timestamp: Number(headers['webhook-timestamp']), body }
    const valid = verifyWebhook(message, String(headers['webhook-signature']), this.secret)
    const attempt = this.received.filter(webhook => webhook.id === event.id).length + 1
    return { ...event, signature: valid ? 'valid' : 'invalid', attempt, answered }
  }
}

/** One listener for the inboxes of all accounts of a run. */
export class Receiver {
  readonly #inboxes = new Map<string, Inbox>()

  private constructor(
    readonly url: string,
    private readonly listener: WebhookListener,
  ) {}

  static async open(): Promise<Receiver> {
    const listener = await listenForWebhooks()
    const receiver = new Receiver(listener.url, listener)
    listener.answerWith(
      async arrival => receiver.#inboxes.get(arrival.path)?.take(arrival) ?? { status: 410 },
    )
    return receiver
  }

  inbox(name: string): Inbox {
    const path = `/${name}`
    const inbox = new Inbox(this.url + path, () => this.#inboxes.delete(path))
    this.#inboxes.set(path, inbox)
    return inbox
  }

  close(): Promise<void> {
    return this.listener.close()
  }
}
