import { randomBytes } from 'node:crypto'
import type { EventBody } from '../application/webhook-variants.ts'
import type { Subject } from './observed-state.ts'

const madeUpId = (prefix: string) => `${prefix}_${randomBytes(12).toString('hex')}`

/** An invented payment that succeeded just now. */
export function sampleEvent(at = new Date().toISOString()): EventBody {
  const data = {
    id: madeUpId('pi'),
    object: 'payment_intent',
    amount: '25000',
    currency: 'THB',
    country: 'TH',
    checkout_mode: 'merchant',
    environment: 'test',
    merchant_reference: `webhooks-check-${randomBytes(6).toString('hex')}`,
    payment_method: 'th_promptpay',
    status: 'succeeded',
    processing_reason: null,
    next_action: null,
    receipt: null,
    failure_code: null,
    failure_message: null,
    created_at: at,
    updated_at: at,
  }
  return { id: madeUpId('evt'), type: 'payment.succeeded', timestamp: at, environment: 'test', data }
}

export function subjectOf({ id, data }: EventBody): Subject {
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : `no-${id}`)
  return { event: id, payment: text(data.id), reference: text(data.merchant_reference) }
}

/** The same record just before its end. */
export function updateBefore(event: EventBody): EventBody {
  const [record] = event.type.split('.')
  const at = new Date(Date.parse(event.timestamp) - 1000).toISOString()
  return {
    ...event,
    id: madeUpId('evt'),
    type: `${record}.updated`,
    timestamp: at,
    data: { ...event.data, status: 'processing', updated_at: at },
  }
}
