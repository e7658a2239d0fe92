import { callSite, withCallSite } from '../client/call-site.ts'
import type { EndpointRecord } from '../client/control-client.ts'
import { demandKnown, type NamesOf } from '../client/options.ts'
import { demandEvents } from './event-match.ts'
import { Inbox } from './inbox.ts'
import { type WebhookAddress, WebhookReceiver } from './webhook-receiver.ts'
import type { EventMatch, ReceivedEvent, WebhookAnswer, WebhookResponder, Webhooks } from './webhooks.ts'

/** The response to a webhook with an invalid signature. */
const REFUSED: WebhookAnswer = { status: 400, body: 'the signature is not valid' }

const ANSWER: NamesOf<WebhookAnswer> = { status: true, headers: true, body: true, reset: true }

/** The webhook endpoint of one account, which listens on any free port of this machine. */
export class AccountWebhooks implements Webhooks {
  readonly #inbox = new Inbox()
  readonly #address: WebhookAddress
  #endpoint: Webhooks['endpoint'] | undefined
  #respond: WebhookResponder = () => ({})
  #answered = 0

  private constructor(private readonly receiver: WebhookReceiver) {
    this.#address = receiver.add('/webhooks', {
      secret: () => this.#endpoint?.secret ?? '',
      take: event => this.#take(event),
    })
  }

  static async open(): Promise<AccountWebhooks> {
    return new AccountWebhooks(await WebhookReceiver.open())
  }

  get url(): string {
    return this.#address.url
  }

  get endpoint(): Webhooks['endpoint'] {
    if (!this.#endpoint) throw new Error(`the account has no webhook endpoint ${this.url}`)
    return this.#endpoint
  }

  /** The current endpoint of the account: a reset changes its id and secret. */
  register(endpoints: readonly EndpointRecord[]): void {
    const own = endpoints.find(({ url }) => url === this.url)
    this.#endpoint = own && { id: own.id, url: own.url, secret: own.secret }
  }

  /** Explains why no webhook arrives. */
  explainWith(why: () => Promise<string | undefined>): void {
    this.#inbox.explainWith(why)
  }

  next(match?: EventMatch, options?: { readonly timeoutMs?: number }) {
    return withCallSite(callSite(), this.#next(match, options))
  }

  async #next(match?: EventMatch, options?: { readonly timeoutMs?: number }) {
    demandKnown('webhooks.next()', options, { timeoutMs: true })
    demandEvents(match)
    return this.#inbox.next(match, options)
  }

  all() {
    return this.#inbox.all
  }

  respond(answer: WebhookAnswer | WebhookResponder): void {
    if (typeof answer !== 'function') demandKnown('webhooks.respond()', answer, ANSWER)
    this.#answered = 0
    this.#respond = typeof answer === 'function' ? answer : () => answer
  }

  /** Forgets all received webhooks. */
  clear(): void {
    this.#inbox.clear()
    this.#address.startCounting()
  }

  async close(): Promise<void> {
    this.#inbox.close()
    await this.receiver.close()
  }

  #take(event: ReceivedEvent): ReturnType<WebhookResponder> {
    this.#inbox.add(event)
    this.#answered += 1
    return event.problem === null ? this.#respond(event, this.#answered) : REFUSED
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
