import type { IncomingHttpHeaders } from 'node:http'
import type { EventName } from '../contract/event-names.ts'

/** Webhooks as a test sees them: what came in, how to wait for it, and what it is answered with. */

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
  /** The same on every delivery of one event. */
  readonly id: string
  readonly type: string
  readonly timestamp: string
  readonly environment: 'test' | 'live'
  readonly data: EventSubject
  /** Which delivery of this event it is, counted from 1. */
  readonly delivery: number
  /** When it was signed, in seconds of wall time. */
  readonly signedAt: number
  readonly headers: IncomingHttpHeaders
  /** As it came, to the byte. */
  readonly body: string
  /** Why its signature does not hold; null where it does. */
  readonly problem: string | null
}

/**
 * What an event must be: its `type` (or several), and members of its `data` by path, as
 * `{ type: 'payment.succeeded', id: payment.id, 'recipient.bank_code': 'bbl' }`.
 */
export type EventMatch =
  | { readonly type?: EventName | readonly EventName[]; readonly [path: string]: unknown }
  | ((event: ReceivedEvent) => boolean)

export interface WebhookAnswer {
  /** 204 unless told otherwise. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** The connection is cut instead of answered. */
  readonly reset?: boolean
}

/** `nth` counts deliveries from 1, since this answer was set. A promise holds the answer back. */
export type WebhookResponder = (
  event: ReceivedEvent,
  nth: number,
) => WebhookAnswer | undefined | Promise<WebhookAnswer | undefined>

export interface Webhooks {
  /** Where the account's own receiver listens. */
  readonly url: string
  readonly endpoint: { readonly id: string; readonly url: string; readonly secret: string }
  /**
   * The oldest event that matches and was not given out before, waiting for it if it is still to come. Rejects when
   * time runs out (5 s), and once for each event whose signature does not hold.
   */
  next(match?: EventMatch, options?: { readonly timeoutMs?: number }): Promise<ReceivedEvent>
  /** Everything received so far, in order, given out or not. */
  all(): ReceivedEvent[]
  /** What deliveries are answered with from here on. */
  respond(answer: WebhookAnswer | WebhookResponder): void
}

/** A webhook whose signature does not hold. */
export class WebhookSignatureError extends Error {
  override readonly name = 'WebhookSignatureError'

  constructor(readonly event: ReceivedEvent) {
    super(`the webhook ${event.type} ${event.id} is not signed by this account's endpoint: ${event.problem}`)
  }
}

/** The webhook that was waited for did not come. */
export class WebhookTimeoutError extends Error {
  override readonly name = 'WebhookTimeoutError'
}
