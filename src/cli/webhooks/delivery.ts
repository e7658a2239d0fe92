import type { ReceivedEvent } from '../../library/webhooks.ts'

/** What the application said to a webhook that was forwarded to it, or why it said nothing. */
export interface Forwarded {
  readonly url: string
  readonly status: number | null
  readonly error: string | null
  readonly ms: number
}

/** A webhook that came, as `listen` prints it; `verify` reads it back. */
export interface Delivery {
  readonly received_at: string
  readonly id: string
  readonly type: string
  /** Which delivery of this event it is, counted from 1. */
  readonly delivery: number
  readonly signature: 'valid' | 'invalid'
  /** Why the signature does not hold. */
  readonly fault: string | null
  readonly forwarded: Forwarded | null
  /** What the simulator was answered with. */
  readonly answered: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  /** To the byte: what was signed. */
  readonly body: string
}

export const deliveryOf = (
  { id, type, delivery, problem: fault, headers, body }: ReceivedEvent,
  came: Pick<Delivery, 'received_at' | 'forwarded' | 'answered'>,
): Delivery => ({
  received_at: came.received_at,
  id,
  type,
  delivery,
  signature: fault === null ? 'valid' : 'invalid',
  fault,
  forwarded: came.forwarded,
  answered: came.answered,
  headers,
  body,
})

export const DELIVERY_COLUMNS = [
  ...['received_at', 'id', 'type', 'delivery', 'signature', 'fault'],
  ...['forwarded.url', 'forwarded.status', 'forwarded.error', 'forwarded.ms', 'answered'],
]
