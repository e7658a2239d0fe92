import { demandKnown, type NamesOf } from '../client/call.ts'
import { callSite, withCallSite } from '../client/caller.ts'
import type { EndpointRecord } from '../client/control-client.ts'
import { formatDuration } from '../contract/durations.ts'
import { STANDING_PATIENCE_MS } from './standing-clock.ts'
import {
  demandEvents,
  describeMatch,
  type EventMatch,
  matchesEvent,
  type ReceivedEvent,
  type WebhookAddress,
  type WebhookAnswer,
  type WebhookReceiver,
  type WebhookResponder,
  WebhookSignatureError,
  type Webhooks,
  WebhookTimeoutError,
} from './webhook-receiver.ts'

/** The response to a webhook with an invalid signature. */
const REFUSED: WebhookAnswer = { status: 400, body: 'the signature is not valid' }

const ANSWER: NamesOf<WebhookAnswer> = { status: true, headers: true, body: true, reset: true }

/** The webhook endpoint of one account, at an address of a receiver. */
export class AccountWebhooks implements Webhooks {
  readonly #queue = new ReceivedQueue()
  readonly #address: WebhookAddress
  #endpoint: Webhooks['endpoint'] | undefined
  #respond: WebhookResponder = () => ({})
  #answered = 0

  constructor(receiver: WebhookReceiver, path: string) {
    this.#address = receiver.add(path, {
      secrets: () => [this.#endpoint?.secret ?? ''],
      take: event => this.#take(event),
    })
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
    this.#queue.explainWith(why)
  }

  next(match?: EventMatch, options?: { readonly timeoutMs?: number }) {
    return withCallSite(callSite(), this.#next(match, options))
  }

  async #next(match?: EventMatch, options?: { readonly timeoutMs?: number }) {
    demandKnown('webhooks.next()', options, { timeoutMs: true })
    demandEvents(match)
    return this.#queue.next(match, options)
  }

  all() {
    return this.#queue.all
  }

  respond(answer: WebhookAnswer | WebhookResponder): void {
    if (typeof answer !== 'function') demandKnown('webhooks.respond()', answer, ANSWER)
    this.#answered = 0
    this.#respond = typeof answer === 'function' ? answer : () => answer
  }

  /** Forgets all received webhooks. */
  clear(): void {
    this.#queue.clear()
    this.#address.startCounting()
  }

  close(): void {
    this.#queue.close()
    this.#address.close()
  }

  #take(event: ReceivedEvent): ReturnType<WebhookResponder> {
    this.#queue.add(event)
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

interface Waiter {
  readonly match: EventMatch | undefined
  readonly settle: (event: ReceivedEvent) => void
  readonly reject: (cause: Error) => void
}

const PATIENCE_MS = 5000

/** The received webhooks, and the callers that wait for more. Each event is returned once. */
class ReceivedQueue {
  #received: ReceivedEvent[] = []
  #untaken: ReceivedEvent[] = []
  readonly #waiters = new Set<Waiter>()
  #why: () => Promise<string | undefined> = async () => undefined

  explainWith(why: () => Promise<string | undefined>): void {
    this.#why = why
  }

  get all(): ReceivedEvent[] {
    return [...this.#received]
  }

  add(event: ReceivedEvent): void {
    const received =
      event.problem !== null && this.#received.some(({ id, problem }) => problem !== null && id === event.id)
    this.#received.push(event)
    // The sender repeats a refused event; one error for it is enough.
    if (received) return
    for (const waiter of this.#waiters) {
      if (!answers(event, waiter.match)) continue
      waiter.settle(event)
      return
    }
    this.#untaken.push(event)
  }

  async next(match?: EventMatch, { timeoutMs }: { readonly timeoutMs?: number } = {}) {
    const event = this.#take(match) ?? (await this.#wait(match, timeoutMs))
    if (event.problem !== null) throw new WebhookSignatureError(event)
    return event
  }

  #take(match: EventMatch | undefined): ReceivedEvent | undefined {
    const at = this.#untaken.findIndex(event => answers(event, match))
    return at < 0 ? undefined : this.#untaken.splice(at, 1)[0]
  }

  #wait(match: EventMatch | undefined, timeoutMs: number | undefined): Promise<ReceivedEvent> {
    const { promise, settle, reject } = pending()
    const waiter: Waiter = { match, settle, reject }
    const giveUp = (waitedMs: number, why: string | undefined) =>
      reject(
        new WebhookTimeoutError(
          `no ${describeMatch(match)} within ${formatDuration(waitedMs)}; ${this.#instead()}${why ? `. ${why}` : ''}`,
        ),
      )
    const whole = timeoutMs ?? PATIENCE_MS
    const early = setTimeout(
      async () => {
        // A caller with its own timeout may be about to act. Otherwise nothing arrives at an account whose clock
        // stands still.
        const why = timeoutMs === undefined ? await this.#why() : undefined
        if (why !== undefined) giveUp(STANDING_PATIENCE_MS, why)
      },
      Math.min(STANDING_PATIENCE_MS, whole),
    )
    const late = setTimeout(async () => giveUp(whole, await this.#why()), whole)
    this.#waiters.add(waiter)
    return promise.finally(() => {
      clearTimeout(early)
      clearTimeout(late)
      this.#waiters.delete(waiter)
    })
  }

  #instead(): string {
    const came = this.#received.map(
      ({ type, data, problem }) => `${type} of ${data.id}${problem ? ' (bad)' : ''}`,
    )
    return came.length > 0 ? `received so far: ${came.join(', ')}` : 'none was received'
  }

  clear(): void {
    this.#received = []
    this.#untaken = []
  }

  /** Ends all waiting calls. */
  close(): void {
    for (const { reject } of this.#waiters)
      reject(new Error('the account was closed while the test waited for a webhook'))
  }
}

/** A forged event may claim to be anything, so the next caller gets the error. */
const answers = (event: ReceivedEvent, match: EventMatch | undefined) =>
  event.problem !== null || match === undefined || matchesEvent(match, event)

function pending() {
  let settle: Waiter['settle'] = () => {}
  let reject: Waiter['reject'] = () => {}
  const promise = new Promise<ReceivedEvent>((resolve, refuse) => {
    settle = resolve
    reject = refuse
  })
  return { promise, settle, reject }
}
