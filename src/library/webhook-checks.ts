import { verifyWebhook } from '../contract/webhook-signature.ts'

/** As in Standard Webhooks: an older signature may be a replay. */
export const STALE_AFTER_MS = 5 * 60_000

/** A webhook, and the secret and the time to check it with. */
export interface SignedRequest {
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
  try {
    return (JSON.parse(body) as { id?: unknown } | null)?.id
  } catch {
    return undefined
  }
}
