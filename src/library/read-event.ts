import type { IncomingHttpHeaders } from 'node:http'
import { checkWebhook, type SignedRequest } from './webhook-checks.ts'
import type { EventSubject, ReceivedEvent } from './webhooks.ts'

interface Message extends SignedRequest {
  readonly headers: IncomingHttpHeaders
}

/** A received webhook, with the problem of its signature if there is one. */
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
    problem: checkWebhook(message).find(({ problem }) => problem !== null)?.problem ?? null,
  }
}

function parse(body: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(body)
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
