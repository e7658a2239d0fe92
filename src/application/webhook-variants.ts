import { createHash, randomBytes } from 'node:crypto'
import type { EventName } from '../contract/event-names.ts'
import { exampleEvent } from '../contract/openapi/examples.ts'
import { resolveContract } from '../contract/resolve-contract.ts'
import { signWebhook } from '../contract/webhook-signature.ts'
import { type Forgery, UNKNOWN_MEMBER } from './disturbance.ts'

/** A webhook as an HTTP request: its headers and its body. */
export interface WebhookMessage {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The members of a webhook's body that are used here. */
export interface EventBody {
  readonly id: string
  readonly type: string
  readonly timestamp: string
  readonly environment: string
  readonly data: Readonly<Record<string, unknown>>
}

const WEEK_S = 7 * 24 * 60 * 60
const nowS = () => Math.floor(Date.now() / 1000)
const FOREIGN_SECRET = `whsec_${Buffer.from('a secret of a stranger').toString('base64')}`

function signed(
  message: WebhookMessage,
  id: string,
  body: string,
  { secret, at = nowS() }: { readonly secret: string; readonly at?: number },
): WebhookMessage {
  const headers = {
    ...message.headers,
    'webhook-id': id,
    'webhook-timestamp': String(at),
    'webhook-signature': signWebhook({ id, timestamp: at, body }, [secret]),
  }
  return { headers, body }
}

const read = (message: WebhookMessage) => JSON.parse(message.body) as EventBody
const idLike = (id: string, salt: string) =>
  `evt_${createHash('sha256').update(`${salt} ${id}`).digest('hex').slice(0, 24)}`

/** An event as the gateway would post it now. */
export const posted = (event: EventBody, secret: string): WebhookMessage =>
  signed(
    { headers: { 'content-type': 'application/json', 'user-agent': 'paysim' }, body: '' },
    event.id,
    JSON.stringify(event),
    { secret },
  )

const madeUpId = (prefix: string) => `${prefix}_${randomBytes(12).toString('hex')}`

/** An invented event of this type, about a record that nobody knows, that happened just now. */
export function sampleEvent(type: EventName, data: Readonly<Record<string, unknown>> = {}): EventBody {
  const timestamp = new Date().toISOString()
  const example = exampleEvent(type, resolveContract()) as unknown as EventBody
  const own = {
    id: madeUpId(type.startsWith('payout') ? 'po' : 'pi'),
    merchant_reference: madeUpId('sample'),
    created_at: timestamp,
    updated_at: timestamp,
  }
  return { ...example, id: madeUpId('evt'), timestamp, data: { ...example.data, ...own, ...data } }
}

/** The same event with a new timestamp and signature, `laterS` seconds after the previous attempt. */
export function sentAgain(message: WebhookMessage, secret: string, laterS = 1): WebhookMessage {
  const at = Math.max(nowS(), Number(message.headers['webhook-timestamp'] ?? 0) + laterS)
  return signed(message, read(message).id, message.body, { secret, at })
}

/**
 * The event with members that a later version of the API might add. Most serialisers would write its JSON in another
 * way. So a program that verifies its own JSON instead of the received bytes computes another signature.
 */
export function withUnknownFields(message: WebhookMessage, secret: string): WebhookMessage {
  const event = read(message)
  const text = JSON.stringify({ ...event, data: { ...event.data, ...UNKNOWN_MEMBER }, ...UNKNOWN_MEMBER })
  const member = JSON.stringify(UNKNOWN_MEMBER).slice(1, -1)
  const body = text.replaceAll(member, member.replace('"rate":1', '"rate":1.0').replace('&', '\\u0026'))
  return signed(message, event.id, body, { secret })
}

/**
 * Another event for the same record, of a type that a later version of the API might add. It shows the record before
 * its outcome, so an application that records the states of a payment must not mistake it for the outcome.
 */
export function ofUnknownType(
  message: WebhookMessage,
  when: 'before' | 'after',
  secret: string,
): WebhookMessage {
  const event = read(message)
  const id = idLike(event.id, `unknown type ${when}`)
  const [record] = event.type.split('.')
  const data = { ...event.data, status: 'processing', failure_code: null, failure_message: null }
  const body = JSON.stringify({ ...event, id, type: `${record}.review_started`, data })
  return signed(message, id, body, { secret })
}

/**
 * A fake event with the record's opposite outcome, as somebody without the secret, or with an old message, could send.
 */
export function forged(
  message: WebhookMessage,
  kind: Forgery,
  when: 'before' | 'after',
  secret: string,
): WebhookMessage {
  const event = read(message)
  const id = idLike(event.id, `${kind} ${when}`)
  const body = JSON.stringify({ ...event, id, ...oppositeOf(event) })
  if (kind === 'webhook-stale') return signed(message, id, body, { secret, at: nowS() - WEEK_S })
  const wrong = signed(message, id, body, { secret: FOREIGN_SECRET })
  if (kind === 'webhook-forged') return wrong
  const { 'webhook-signature': _, ...headers } = wrong.headers
  return { headers, body }
}

function oppositeOf({ type, data }: EventBody): Pick<EventBody, 'type' | 'data'> {
  const [record, outcome] = type.split('.')
  if (outcome === 'succeeded')
    return {
      type: `${record}.failed`,
      data: { ...data, status: 'failed', failure_code: 'declined', failure_message: 'It was declined' },
    }
  return {
    type: `${record}.succeeded`,
    data: { ...data, status: 'succeeded', failure_code: null, failure_message: null },
  }
}

/** Whether an event of this type has an opposite. */
export const hasOpposite = (type: string) => /\.(succeeded|failed|expired|cancelled)$/.test(type)
