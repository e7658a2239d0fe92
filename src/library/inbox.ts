import { describeMatch, matchesEvent } from './event-match.ts'
import { STANDING_PATIENCE_MS } from './standing-clock.ts'
import {
  type EventMatch,
  type ReceivedEvent,
  WebhookSignatureError,
  WebhookTimeoutError,
} from './webhooks.ts'

interface Waiter {
  readonly match: EventMatch | undefined
  readonly settle: (event: ReceivedEvent) => void
  readonly reject: (cause: Error) => void
}

const PATIENCE_MS = 5000

/** The received webhooks, and the callers that wait for more. Each event is returned once. */
export class Inbox {
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
          `no ${describeMatch(match)} within ${waitedMs} ms; ${this.#instead()}${why ? `. ${why}` : ''}`,
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
