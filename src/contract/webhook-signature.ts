import { createHmac, timingSafeEqual } from 'node:crypto'

/** Standard Webhooks: HMAC-SHA256 of `id.timestamp.body` under the bytes behind `whsec_`. */
export interface SignedMessage {
  id: string
  /** Seconds since the epoch, by the wall clock: verifiers refuse an old timestamp. */
  timestamp: number
  body: string
}

export function signWebhook(message: SignedMessage, secrets: readonly string[]): string {
  return secrets.map(secret => `v1,${digest(message, secret)}`).join(' ')
}

export function verifyWebhook(message: SignedMessage, signatures: string, secret: string): boolean {
  const expected = Buffer.from(digest(message, secret))
  return signatures.split(' ').some(signature => {
    const given = Buffer.from(signature.replace(/^v1,/, ''))
    return signature.startsWith('v1,') && given.length === expected.length && timingSafeEqual(given, expected)
  })
}

function digest({ id, timestamp, body }: SignedMessage, secret: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
  return createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
}
