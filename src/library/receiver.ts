import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { EndpointRecord } from '../client/control-client.ts'
import { Inbox } from './inbox.ts'
import { readEvent } from './read-event.ts'
import type { EventMatch, WebhookAnswer, WebhookResponder, Webhooks } from './webhooks.ts'

/** What a verifier answers to what it does not believe. */
const REFUSED: WebhookAnswer = { status: 400, body: 'the signature does not hold' }

/** A merchant's webhook endpoint, for one account: it listens on this machine, on any free port. */
export class Receiver implements Webhooks {
  readonly #inbox = new Inbox()
  readonly #seen = new Map<string, number>()
  #endpoint: Webhooks['endpoint'] | undefined
  #respond: WebhookResponder = () => ({})
  #answered = 0

  private constructor(
    readonly url: string,
    private readonly server: Server,
  ) {}

  static async open(): Promise<Receiver> {
    const server = createServer()
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    const port = typeof address === 'object' && address ? address.port : 0
    const receiver = new Receiver(`http://127.0.0.1:${port}/webhooks`, server)
    server.on('request', (request, response) => {
      receiver.#receive(request, response).catch(() => response.destroy())
    })
    return receiver
  }

  get endpoint(): Webhooks['endpoint'] {
    if (!this.#endpoint) throw new Error(`the account has no webhook endpoint ${this.url}`)
    return this.#endpoint
  }

  /** The endpoint as the account has it now: a reset gives it another id and secret. */
  register(endpoints: readonly EndpointRecord[]): void {
    const own = endpoints.find(({ url }) => url === this.url)
    this.#endpoint = own && { id: own.id, url: own.url, secret: own.secret }
  }

  next(match?: EventMatch, options?: { readonly timeoutMs?: number }) {
    return this.#inbox.next(match, options)
  }

  all() {
    return this.#inbox.all
  }

  respond(answer: WebhookAnswer | WebhookResponder): void {
    this.#answered = 0
    this.#respond = typeof answer === 'function' ? answer : () => answer
  }

  /** As if nothing had come. */
  clear(): void {
    this.#inbox.clear()
    this.#seen.clear()
  }

  async close(): Promise<void> {
    this.#inbox.close()
    const closed = new Promise(resolve => this.server.close(resolve))
    this.server.closeAllConnections()
    await closed
  }

  async #receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const event = readEvent(
      {
        headers: request.headers,
        body: Buffer.concat(chunks).toString('utf8'),
        now: Date.now() / 1000,
        secret: this.#endpoint?.secret ?? '',
      },
      id => this.#count(id),
    )
    this.#inbox.add(event)
    this.#answered += 1
    const answer = event.fault === null ? await this.#respond(event, this.#answered) : REFUSED
    if (answer?.reset) return void request.socket.resetAndDestroy()
    response.writeHead(answer?.status ?? 204, { ...answer?.headers }).end(answer?.body)
  }

  #count(id: string): number {
    const count = (this.#seen.get(id) ?? 0) + 1
    this.#seen.set(id, count)
    return count
  }
}

/** For an account that was opened without a receiver. */
export function noWebhooks(account: string): Webhooks {
  const missing = (): never => {
    throw new Error(`${account} was opened without webhooks: open it with { webhooks: true }`)
  }
  return {
    get url() {
      return missing()
    },
    get endpoint() {
      return missing()
    },
    next: async () => missing(),
    all: missing,
    respond: missing,
  }
}
