import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseDuration } from '../../contract/durations.ts'
import { verifyWebhook } from '../../contract/webhook-signature.ts'
import type { Behaviour, Reply } from '../schema/receiver.ts'

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
  #plan: Reply[] = [{ status: 200 }]
  #down = false

  constructor(
    readonly url: string,
    readonly close: () => void,
  ) {}

  behave(behaviour: Behaviour): void {
    this.#down = behaviour === 'down'
    const replies = typeof behaviour === 'string' ? [{ status: 200 }] : [behaviour].flat()
    this.#plan = replies.map(reply => ({ ...reply }))
  }

  take(request: IncomingMessage, text: string, response: ServerResponse): void {
    if (this.#down) {
      request.socket.resetAndDestroy()
      return
    }
    const reply = this.#next()
    const webhook = this.#read(request, text, reply.status)
    this.received.push(webhook)
    this.texts.set(webhook, text)
    const wait =
      reply.retry_after === undefined ? undefined : Math.ceil((parseDuration(reply.retry_after) ?? 0) / 1000)
    response.writeHead(reply.status, wait === undefined ? {} : { 'retry-after': String(wait) }).end()
  }

  /** The last reply goes on for ever, also where it said how often. */
  #next(): Reply {
    const [reply = { status: 200 }] = this.#plan
    if (reply.times !== undefined && this.#plan.length > 1) {
      if (reply.times === 1) this.#plan.shift()
      else this.#plan[0] = { ...reply, times: reply.times - 1 }
    } else if (this.#plan.length > 1) this.#plan.shift()
    return reply
  }

  #read({ headers }: IncomingMessage, body: string, answered: number): Webhook {
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
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async open(): Promise<Receiver> {
    const server = createServer()
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(0, '127.0.0.1', resolve)
    })
    const receiver = new Receiver(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
    server.on('request', (request, response) => void receiver.#receive(request, response))
    return receiver
  }

  inbox(name: string): Inbox {
    const path = `/${name}`
    const inbox = new Inbox(this.url + path, () => this.#inboxes.delete(path))
    this.#inboxes.set(path, inbox)
    return inbox
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const inbox = this.#inboxes.get(request.url ?? '')
    if (inbox) inbox.take(request, Buffer.concat(chunks).toString('utf8'), response)
    else response.writeHead(410).end()
  }

  async close(): Promise<void> {
    this.server.closeAllConnections()
    await new Promise(resolve => this.server.close(resolve))
  }
}
