import type { IncomingHttpHeaders } from 'node:http'
import type { EventName } from '../contract/event-names.ts'

/** The webhooks of a test: received ones, waiting for more, and the responses to them. */

/** The record as it was when the event happened. */
export interface EventSubject {
  readonly id: string
  readonly object: 'payment_intent' | 'payout_intent'
  readonly status: string
  readonly amount: string
  readonly currency: string
  readonly country: string
  readonly merchant_reference: string | null
  readonly [member: string]: unknown
}

export interface ReceivedEvent {
  /** The id of the event, which is the same for each of its deliveries. */
  readonly id: string
  readonly type: string
  readonly timestamp: string
  readonly environment: 'test' | 'live'
  readonly data: EventSubject
  /** Which delivery of this event it is, counted from 1. */
  readonly delivery: number
  /** The wall time of its signature in seconds. */
  readonly signedAt: number
  readonly headers: IncomingHttpHeaders
  /** The exact bytes. */
  readonly body: string
  /** The problem of its signature; null if it is valid. */
  readonly problem: string | null
}

/**
 * What an event must have: its `type` (one or several), and members of its `data` by path, such as `{ type:
 * 'payment.succeeded', id: payment.id, 'recipient.bank_code': 'bbl' }`.
 */
export type EventMatch =
  | { readonly type?: EventName | readonly EventName[]; readonly [path: string]: unknown }
  | ((event: ReceivedEvent) => boolean)

export interface WebhookAnswer {
  /** 204 by default. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Closes the connection without a response. */
  readonly reset?: boolean
}

/** `nth` counts deliveries from 1, since this response was set. A promise delays the response. */
export type WebhookResponder = (
  event: ReceivedEvent,
  nth: number,
) => WebhookAnswer | undefined | Promise<WebhookAnswer | undefined>

export interface Webhooks {
  /** The address of the account's own receiver. */
  readonly url: string
  readonly endpoint: { readonly id: string; readonly url: string; readonly secret: string }
  /**
   * Returns the oldest event that matches and was not returned before, and waits for it if necessary. Rejects after 5
   * s, and once for each event with an invalid signature.
   */
  next(match?: EventMatch, options?: { readonly timeoutMs?: number }): Promise<ReceivedEvent>
  /** All received webhooks in order, whether `next()` returned them or not. */
  all(): ReceivedEvent[]
  /** Sets the response to later deliveries. */
  respond(answer: WebhookAnswer | WebhookResponder): void
}

/** A webhook with an invalid signature. */
export class WebhookSignatureError extends Error {
  override readonly name = 'WebhookSignatureError'

  constructor(readonly event: ReceivedEvent) {
    super(`the webhook ${event.type} ${event.id} is not signed by this account's endpoint: ${event.problem}`)
  }
}

/** The expected webhook did not arrive. */
export class WebhookTimeoutError extends Error {
  override readonly name = 'WebhookTimeoutError'
}
