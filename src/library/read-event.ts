import type { IncomingHttpHeaders } from 'node:http'
import { verifyWebhook } from '../contract/webhook-signature.ts'
import type { EventSubject, ReceivedEvent } from './webhooks.ts'

/** As Standard Webhooks has it: an older signature may be a replay. */
const STALE_AFTER_S = 5 * 60

interface Message {
  readonly headers: IncomingHttpHeaders
  readonly body: string
  /** Wall time, in seconds: the one time that is not the account's. */
  readonly now: number
  readonly secret: string
}

/** What a receiver got, with what is wrong with its signature. */
export function readEvent(message: Message, delivery: (id: string) => number): ReceivedEvent {
  const { headers, body } = message
  const { id: bodyId, type, timestamp, environment, data } = parse(body)
  const id = String(headers['webhook-id'] ?? bodyId ?? '')
  return {
    id,
    type: String(type ?? ''),
    timestamp: String(timestamp ?? ''),
    environment: environment === 'live' ? 'live' : 'test',
    data: (typeof data === 'object' && data !== null ? data : {}) as EventSubject,
    delivery: delivery(id),
    signedAt: Number(headers['webhook-timestamp'] ?? Number.NaN),
    headers,
    body,
    fault: faultIn(message, bodyId),
  }
}

function faultIn({ headers, body, now, secret }: Message, bodyId: unknown): string | null {
  const id = headers['webhook-id']
  const timestamp = headers['webhook-timestamp']
  const signature = headers['webhook-signature']
  if (typeof id !== 'string') return 'it has no webhook-id'
  if (typeof timestamp !== 'string' || !/^\d+$/.test(timestamp)) return 'it has no webhook-timestamp'
  if (typeof signature !== 'string') return 'it has no webhook-signature'
  if (!verifyWebhook({ id, timestamp: Number(timestamp), body }, signature, secret))
    return `the signature ${signature} does not match the body under the endpoint's secret`
  if (Math.abs(now - Number(timestamp)) > STALE_AFTER_S) return `the timestamp ${timestamp} is stale`
  if (bodyId !== id) return `the body is of event ${bodyId}, the header says ${id}`
  return null
}

function parse(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
