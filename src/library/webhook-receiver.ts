import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import type { Socket } from 'node:net'
import { LIMITS } from '../contract/limits.ts'
import { isRecord, parseForeign } from '../contract/validation.ts'
import { checkWebhook, type EventSubject, type ReceivedEvent, type WebhookAnswer } from './webhooks.ts'

/** A webhook exactly as it was received. */
export interface IncomingWebhook {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  /** Names and values in turn, in their original case. */
  readonly rawHeaders: readonly string[]
  readonly body: Buffer
}

type Maybe<T> = T | undefined
type MaybePromise<T> = T | Promise<T>

/** Handles the webhooks of one URL. */
export interface WebhookHandler {
  /** The secret to check signatures with. */
  secret(webhook: IncomingWebhook): MaybePromise<string>
  /** Answers a webhook; 204 if it returns nothing. */
  take(event: ReceivedEvent, webhook: IncomingWebhook): MaybePromise<Maybe<WebhookAnswer>>
}

/** An address of a receiver. */
export interface WebhookAddress {
  readonly url: string
  /** Restarts the count of deliveries of each event. */
  startCounting(): void
  /** Cuts off webhooks that are not answered yet. From now on, they get the answer that the URL is gone. */
  close(): void
}

interface OpenAddress {
  readonly handler: WebhookHandler
  readonly deliveries: Map<string, number>
  /** The connections of webhooks that are not answered yet. */
  readonly waiting: Set<Socket>
}

/** Receives webhooks on this machine, on any free port by default: checks, counts and answers them. */
export class WebhookReceiver {
  readonly #addresses = new Map<string, OpenAddress>()
  readonly #underWay = new Set<Promise<void>>()

  private constructor(
    /** The base URL, without a path. */
    readonly url: string,
    private readonly server: Server,
  ) {
    server.on('request', (request, response) => {
      const over = new Promise<void>(resolve => response.once('close', resolve))
      this.#underWay.add(over)
      over.then(() => this.#underWay.delete(over))
      this.#reply(request, response).catch(() => response.destroy())
    })
  }

  static async open(port = 0): Promise<WebhookReceiver> {
    const server = createServer()
    server.listen(port, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const bound = typeof address === 'object' && address ? address.port : port
    return new WebhookReceiver(`http://127.0.0.1:${bound}`, server)
  }

  /** Opens an address below the receiver's URL. */
  add(path: string, handler: WebhookHandler): WebhookAddress {
    const deliveries = new Map<string, number>()
    const waiting = new Set<Socket>()
    this.#addresses.set(path, { handler, deliveries, waiting })
    return {
      url: this.url + path,
      startCounting: () => deliveries.clear(),
      close: () => {
        this.#addresses.delete(path)
        for (const socket of waiting) socket.destroy()
      },
    }
  }

  /** Resolves when all received webhooks are answered. */
  async idle(): Promise<void> {
    await Promise.all(this.#underWay)
  }

  /** Closes open connections. */
  async close(): Promise<void> {
    const closed = new Promise(resolve => this.server.close(resolve))
    this.server.closeAllConnections()
    await closed
  }

  async #reply(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url: path = '/', headers, rawHeaders } = request
    const chunks: Buffer[] = []
    let size = 0
    for await (const chunk of request) {
      chunks.push(chunk)
      size += chunk.length
      if (size > LIMITS.body) return void response.writeHead(413, { connection: 'close' }).end()
    }
    const { socket } = request
    const waiting = this.#addresses.get(path)?.waiting.add(socket)
    const answer = await this.#answer({ path, headers, rawHeaders, body: Buffer.concat(chunks) }).finally(
      () => waiting?.delete(socket),
    )
    if (answer?.reset) return void socket.resetAndDestroy()
    response.writeHead(answer?.status ?? 204, { ...answer?.headers }).end(answer?.body)
  }

  async #answer(webhook: IncomingWebhook): Promise<Maybe<WebhookAnswer>> {
    const open = this.#addresses.get(webhook.path)
    if (!open) return { status: 410 }
    const now = Date.now()
    const secret = await open.handler.secret(webhook)
    return open.handler.take(readEvent(webhook, { secret, now, deliveries: open.deliveries }), webhook)
  }
}

/** The event in a webhook, with the problem of its signature if there is one. */
function readEvent(
  { headers, body: bytes }: IncomingWebhook,
  { secret, now, deliveries }: { secret: string; now: number; deliveries: Map<string, number> },
): ReceivedEvent {
  const body = bytes.toString('utf8')
  const event = parseForeign(body)
  const { id: bodyId, type, timestamp, environment, data } = isRecord(event) ? event : {}
  const id = String(headers['webhook-id'] ?? bodyId ?? '')
  const delivery = (deliveries.get(id) ?? 0) + 1
  deliveries.set(id, delivery)
  const checks = checkWebhook({ headers, body, secret, now })
  return {
    id,
    type: String(type ?? ''),
    timestamp: String(timestamp ?? ''),
    environment: environment === 'live' ? 'live' : 'test',
    data: (isRecord(data) ? data : {}) as EventSubject,
    delivery,
    signedAt: Number(headers['webhook-timestamp'] ?? Number.NaN),
    headers,
    body,
    problem: checks.find(({ problem }) => problem !== null)?.problem ?? null,
  }
}
