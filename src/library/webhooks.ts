import type { IncomingHttpHeaders } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import { ArgumentError } from '../client/errors.ts'
import { type EventName, eventMeant, OPTIONAL_EVENTS, STANDARD_EVENTS } from '../contract/event-names.ts'
import { isRecord, parseForeign } from '../contract/validation.ts'
import { verifyWebhook } from '../contract/webhook-signature.ts'

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

/** As in Standard Webhooks: an older signature may be a replay. */
export const STALE_AFTER_MS = 5 * 60_000

/** A webhook, and the secret and the time to check it with. */
interface SignedRequest {
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly body: string
  readonly secret: string
  /** Wall time in milliseconds, not the account's time. */
  readonly now: number
  /** How far the timestamp may be from that time. */
  readonly toleranceMs?: number
}

export interface WebhookCheck {
  readonly check: 'headers' | 'signature' | 'timestamp' | 'event'
  /** The problem; null if the check passed. */
  readonly problem: string | null
}

/** The checks of a verifier, in order. Without the headers, no other check is possible. */
export function checkWebhook({
  headers,
  body,
  secret,
  now,
  toleranceMs = STALE_AFTER_MS,
}: SignedRequest): WebhookCheck[] {
  const signed = readHeaders(headers)
  if (typeof signed === 'string') return [{ check: 'headers', problem: signed }]
  const { id, timestamp, signature } = signed
  const matches = verifyWebhook({ id, timestamp, body }, signature, secret)
  const isStale = Math.abs(now / 1000 - timestamp) > toleranceMs / 1000
  const bodyId = idIn(body)
  return [
    { check: 'headers', problem: null },
    {
      check: 'signature',
      problem: matches
        ? null
        : `the signature ${signature} does not match the body and the endpoint's secret`,
    },
    { check: 'timestamp', problem: isStale ? `the timestamp ${timestamp} is stale` : null },
    {
      check: 'event',
      problem: bodyId === id ? null : `the body has event ${bodyId}, but the header says ${id}`,
    },
  ]
}

function readHeaders(
  headers: SignedRequest['headers'],
): { readonly id: string; readonly timestamp: number; readonly signature: string } | string {
  const id = headers['webhook-id']
  const timestamp = headers['webhook-timestamp']
  const signature = headers['webhook-signature']
  if (typeof id !== 'string') return 'it has no webhook-id'
  if (typeof timestamp !== 'string' || !/^\d+$/.test(timestamp)) return 'it has no webhook-timestamp'
  if (typeof signature !== 'string') return 'it has no webhook-signature'
  return { id, timestamp: Number(timestamp), signature }
}

function idIn(body: string): unknown {
  const event = parseForeign(body)
  return isRecord(event) ? event.id : undefined
}
