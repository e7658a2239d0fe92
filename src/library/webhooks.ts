import type { IncomingHttpHeaders } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import { ArgumentError } from '../client/errors.ts'
import { type EventName, eventMeant, OPTIONAL_EVENTS, STANDARD_EVENTS } from '../contract/event-names.ts'
import { isRecord } from '../contract/validation.ts'

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

const EVENTS: readonly string[] = [...STANDARD_EVENTS, ...OPTIONAL_EVENTS]

/** An unknown event would never arrive, so it is refused at once. */
export function demandEvents(match: EventMatch | undefined): void {
  if (match === undefined || typeof match === 'function') return
  for (const name of [match.type ?? []].flat()) {
    if (EVENTS.includes(name)) continue
    const meant = eventMeant(name)
    throw new ArgumentError(
      `there is no event ${name}; ${meant ? `did you mean ${meant}?` : `there are ${EVENTS.join(', ')}`}`,
    )
  }
}

export function matchesEvent(match: EventMatch, event: ReceivedEvent): boolean {
  if (typeof match === 'function') return match(event)
  return Object.entries(match).every(([path, wanted]) => {
    if (path === 'type') return [wanted].flat().includes(event.type)
    const value = path === 'data' ? event.data : at(event.data, path.replace(/^data\./, ''))
    return holds(wanted, value)
  })
}

/** A member by its path, such as `recipient.bank_code`. */
function at(value: unknown, path: string): unknown {
  return path
    .split('.')
    .reduce<unknown>((of, name) => (isRecord(of) && Object.hasOwn(of, name) ? of[name] : undefined), value)
}

/** An object must have only the given members; others are ignored. */
function holds(wanted: unknown, value: unknown): boolean {
  if (wanted instanceof RegExp) return typeof value === 'string' && wanted.test(value)
  if (isRecord(wanted) && isRecord(value))
    return Object.entries(wanted).every(([name, member]) => holds(member, value[name]))
  return isDeepStrictEqual(wanted, value)
}

export function describeMatch(match: EventMatch | undefined): string {
  if (match === undefined) return 'webhook'
  if (typeof match === 'function') return 'webhook that matches'
  const parts = Object.entries(match).map(
    ([path, wanted]) => `${path} ${wanted instanceof RegExp ? wanted : JSON.stringify(wanted)}`,
  )
  return `webhook with ${parts.join(', ')}`
}
